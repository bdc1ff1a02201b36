#include "widgets/panels/roofline_panel.h"

#include <algorithm>
#include <set>

#include <QBuffer>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMetaMethod>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/trace/device_words.h"
#include "widgets/panels/cells.h"
#include "widgets/panels/roofline_texts.h"

namespace ridgeline {

namespace {

constexpr QSize kPictureSize(1000, 660);
/// A selection of more slices is not looked up point by point.
constexpr std::size_t kMostSelected = 50'000;

}  // namespace

RooflinePanel::RooflinePanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("roofline"), tr("Roofline"), session, analyses, parent),
      devices_(new QComboBox(this)),
      noRoofs_(new QLabel(this)),
      setPeaks_(new QPushButton(tr("Set peaks…"), this)),
      bounds_(new BoundsBars(this)),
      splitter_(new QSplitter(Qt::Vertical, this)),
      chart_(new RooflineChart(this)),
      table_(new ResultTableView(QStringLiteral("roofline"), this)),
      line_(new QLabel(this)) {
  noRoofs_->setWordWrap(true);
  line_->setWordWrap(true);
  line_->setContentsMargins(8, 0, 8, 4);
  line_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  devices_->setToolTip(tr("The device whose kernels are shown"));
  auto* picture = new QToolButton(this);
  picture->setText(tr("Export…"));
  picture->setToolTip(tr("Write the chart to a PNG or SVG file"));
  picture->setAutoRaise(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 0, 6, 0);
  bar->addWidget(devices_);
  bar->addWidget(noRoofs_, 1);
  bar->addWidget(setPeaks_, 0, Qt::AlignTop);
  splitter_->addWidget(chart_);
  splitter_->addWidget(table_);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 2);
  splitter_->setChildrenCollapsible(false);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(bounds_);
  layout->addLayout(bar);
  layout->addWidget(splitter_, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(0, 0, 6, 0);
  foot->addWidget(line_, 1);
  foot->addWidget(picture, 0, Qt::AlignTop);
  layout->addLayout(foot);
  setContent(content);
  connect(picture, &QToolButton::clicked, this, &RooflinePanel::askForPicture);
  connectParts();
}

void RooflinePanel::connectParts() {
  connect(devices_, &QComboBox::activated, this, [this](int index) {
    device_ = DeviceId(devices_->itemData(index).toUInt());
    fillDevice();
  });
  connect(setPeaks_, &QPushButton::clicked, this, &RooflinePanel::peaksWanted);
  connect(chart_, &RooflineChart::pointClicked, this, &RooflinePanel::selectPoint);
  connect(chart_, &RooflineChart::backgroundClicked, this,
          [this] { this->session().clearSelection(); });
  connect(chart_, &RooflineChart::lassoSelected, this, [this](const QList<int>& ids) {
    if (ids.size() == 1) return selectPoint(ids.front());
    select(ids, tr("%1 points of the roofline").arg(ids.size()));
  });
  connect(table_, &ResultTableView::rowSelected, this,
          [this](int row) { selectPoint((*rows_)[static_cast<std::size_t>(row)]); });
  connect(table_, &ResultTableView::rowActivated, this,
          [this](int row) { zoomTo((*rows_)[static_cast<std::size_t>(row)]); });
}

void RooflinePanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  results_ = results;
  lastActive_ = {};
  lastReason_.clear();
  lastCount_ = 0;
  fillDevices();
  fillDevice();
}

/// Devices with kernels; the one shown stays if it is among them.
void RooflinePanel::fillDevices() {
  devices_->clear();
  const std::vector<Device> all(results_->workload->trace->devices().begin(),
                                results_->workload->trace->devices().end());
  for (const Roofline::PerDevice& per : results_->roofline.devices) {
    if (per.kernelTime == 0) continue;
    const Device& device = all[per.device.index()];
    QString text = QString::fromStdString(deviceTitle(device));
    const QString name = QString::fromStdString(per.name.empty() ? device.name : per.name);
    if (!name.isEmpty()) text += QStringLiteral(" · ") + name;
    devices_->addItem(text, per.device.value);
  }
  int index = devices_->findData(device_.value);
  if (index < 0 && devices_->count() > 0) index = 0;
  devices_->setCurrentIndex(index);
  devices_->setVisible(devices_->count() > 1);
  device_ = index < 0 ? DeviceId(0) : DeviceId(devices_->itemData(index).toUInt());
}

void RooflinePanel::fillDevice() {
  const Roofline& roofline = results_->roofline;
  const QString why = rooflinetexts::whyEmpty(*results_->workload, roofline, device_);
  light({});
  auto rows = std::make_shared<std::vector<int>>();
  for (std::size_t i = 0; i < roofline.points.size(); ++i)
    if (roofline.points[i].device == device_) rows->push_back(static_cast<int>(i));
  rows_ = rows;
  table_->setContent(rooflinetexts::columns(results_, rows_, Palette::of(palette())),
                     static_cast<int>(rows_->size()));
  if (!sized_ && !rows_->empty()) {  // names must not push the figures out of sight
    sized_ = true;
    table_->setColumnWidth(0, std::min(table_->columnWidth(0), 210));
    table_->setColumnWidth(1, std::min(table_->columnWidth(1), 160));
  }
  fillChart();
  if (!why.isEmpty()) {
    showEmpty(why);
    return;
  }
  showContent();
  setSentence(rooflinetexts::sentence(roofline, device_));
  showNotes();
}

void RooflinePanel::showNotes() {
  const QString noRoofs = rooflinetexts::whyNoRoofs(results_->roofline, device_);
  noRoofs_->setText(noRoofs);
  noRoofs_->setVisible(!noRoofs.isEmpty());
  setPeaks_->setVisible(!noRoofs.isEmpty() &&
                        isSignalConnected(QMetaMethod::fromSignal(&RooflinePanel::peaksWanted)));
  bounds_->setVisible(
      rooflinetexts::fillBounds(*bounds_, *results_, device_, Palette::of(palette())));
}

void RooflinePanel::fillChart() {
  const Palette& colours = Palette::of(palette());
  std::vector<RooflineMark> marks;
  std::set<KernelClass> classes;
  bool hollow = false, above = false;
  for (const int id : *rows_) {
    if (!isOnChart(id)) continue;
    const RooflinePoint& p = point(id);
    marks.push_back({id, *p.intensity, *p.performance, static_cast<double>(p.time),
                     colours.of(p.kernelClass), p.inferred || p.upperBound, p.aboveRoof,
                     rooflinetexts::nameOf(p), rooflinetexts::hover(results_->roofline, p)});
    classes.insert(p.kernelClass);
    hollow = hollow || p.inferred || p.upperBound;
    above = above || p.aboveRoof;
  }
  std::vector<RooflineLine> lines = rooflinetexts::roofLines(results_->roofline, device_);
  const bool achievable = std::any_of(lines.begin(), lines.end(),
                                      [](const RooflineLine& line) { return line.achievable; });
  std::vector<ChartKey> keys;
  for (const KernelClass c : classes)
    keys.push_back({colourKeyName(colourKeyOf(c)), colours.of(c), false});
  if (achievable) keys.push_back({tr("achievable"), colours.mutedText, true});
  QString marksText = tr("area: time");
  if (hollow) marksText += tr(" · hollow: inferred or upper bound");
  if (above) marksText += tr(" · ^: above 110 % of its roof");
  keys.push_back({marksText, QColor(), false});
  chart_->setTitle(
      tr("Roofline of %1").arg(QString::fromStdString(results_->roofline.window.label)));
  chart_->setKeys(std::move(keys));
  chart_->setRoofs(std::move(lines));
  chart_->setData(std::move(marks));
}

int RooflinePanel::pointOf(SliceId slice) const {
  const auto& points = results_->roofline.points;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::binary_search(points[i].slices.begin(), points[i].slices.end(), slice))
      return static_cast<int>(i);
  return -1;
}

QList<int> RooflinePanel::pointsOf(const Selection& selection) const {
  QList<int> ids;
  if (selection.slices.size() > kMostSelected) return ids;
  for (const int id : *rows_) {
    const auto& own = point(id).slices;
    const bool hit =
        std::any_of(selection.slices.begin(), selection.slices.end(), [&](const SliceRef& slice) {
          return slice.rank == rank() && std::binary_search(own.begin(), own.end(), slice.id);
        });
    if (hit) ids << id;
  }
  return ids;
}

void RooflinePanel::selectionChanged() {
  if (!results_) return;
  const SliceRef active = session().active();
  const Selection& selection = session().selection();
  const bool newActive = active != lastActive_;
  const bool newSelection =
      selection.slices.size() != lastCount_ || selection.reason != lastReason_;
  if (!newActive && !newSelection) return;
  lastActive_ = active;
  lastCount_ = selection.slices.size();
  lastReason_ = selection.reason;
  const int ofActive = active.valid() && active.rank == rank() ? pointOf(active.id) : -1;
  if (ofActive >= 0 && (newActive || selection.empty())) {
    if (point(ofActive).device != device_) {
      device_ = point(ofActive).device;
      devices_->setCurrentIndex(devices_->findData(device_.value));
      fillDevice();
    }
    light({ofActive});
  } else {
    light(pointsOf(selection));
  }
}

void RooflinePanel::light(const QList<int>& ids) {
  QList<int> onChart;
  for (const int id : ids)
    if (isOnChart(id)) onChart << id;
  chart_->setHighlighted(onChart);
  line_->setToolTip(QString());
  if (ids.isEmpty()) {
    line_->clear();
    table_->showNoRow();
    return;
  }
  if (ids.size() > 1) {
    TimeNs time = 0;
    for (const int id : ids) time += point(id).time;
    line_->setText(tr("%1 points, %2 together").arg(ids.size()).arg(formatDuration(time)));
    return;
  }
  const RooflinePoint& p = point(ids.front());
  const QString line = rooflinetexts::nameOf(p) + QStringLiteral(": ") + rooflinetexts::brief(p);
  line_->setText(elidedWords(line));
  line_->setToolTip(wrappedHover(line));
  const auto row = std::find(rows_->begin(), rows_->end(), ids.front());
  if (row != rows_->end()) table_->showRow(static_cast<int>(row - rows_->begin()));
}

void RooflinePanel::select(const QList<int>& ids, const QString& reason) {
  std::vector<SliceRef> slices;
  for (const int id : ids)
    for (const SliceId slice : point(id).slices) slices.push_back({rank(), slice});
  session().setSelected(std::move(slices), reason);
  light(ids);
}

void RooflinePanel::selectPoint(int id) {
  const RooflinePoint& p = point(id);
  const QString calls =
      p.calls == 1 ? tr("1 call") : tr("%1 calls").arg(formatCount(static_cast<qint64>(p.calls)));
  select({id}, rooflinetexts::nameOf(p) + QStringLiteral(" · ") + calls);
}

void RooflinePanel::zoomTo(int id) {
  const auto& slices = point(id).slices;
  if (slices.empty()) return;
  const SliceTable& table = results_->workload->trace->slices();
  const SliceId longest = *std::max_element(
      slices.begin(), slices.end(),
      [&table](SliceId a, SliceId b) { return table.duration(a) < table.duration(b); });
  selectPoint(id);
  session().setActive({rank(), longest});
  session().requestZoomTo(SliceRef{rank(), longest});
}

void RooflinePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  const bool wide = width() > height() * 3 / 2;
  if (wide == (splitter_->orientation() == Qt::Horizontal)) return;
  splitter_->setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
  splitter_->setSizes({550, 450});
}

/// What a picture must say of itself: whose, of what, from where.
QStringList RooflinePanel::caption() const {
  QStringList lines{sentence()};
  QStringList source{session().title(), QString::fromStdString(results_->roofline.window.label)};
  if (devices_->currentIndex() >= 0) source << devices_->currentText();
  source.removeAll(QString());
  lines << source.join(QStringLiteral(" · "));
  for (const Roofline::PerDevice& per : results_->roofline.devices)
    if (per.device == device_ && per.memory)
      lines
          << tr("Roofs: %1. Points: FLOPs and bytes %2, time measured.")
                 .arg(QString::fromStdString(per.memory->source),
                      results_->roofline.measured
                          ? tr("measured by Nsight Compute where it knows them, else computed from "
                               "recorded shapes")
                          : tr("computed from recorded shapes"));
  for (const RooflineLine& roof : rooflinetexts::roofLines(results_->roofline, device_))
    if (roof.achievable) lines << QString(roof.hover).replace(u'\n', QStringLiteral(", "));
  return lines;
}

void RooflinePanel::paintPicture(QPainter& painter, QSizeF size) {
  const Palette& colours = Palette::of(palette());
  painter.fillRect(QRectF(QPointF(), size), colours.background);
  QFont small = font();
  if (small.pointSizeF() > 8) small.setPointSizeF(small.pointSizeF() - 1);
  painter.setFont(small);
  const QStringList lines = caption();
  const QRectF room(12, 0, size.width() - 24, size.height());
  QRectF text = painter.boundingRect(room, Qt::AlignLeft | Qt::TextWordWrap, lines.join(u'\n'));
  text.moveTop(size.height() - text.height() - 8);
  text.setWidth(room.width());
  painter.setPen(colours.mutedText);
  painter.drawText(text, Qt::AlignLeft | Qt::TextWordWrap, lines.join(u'\n'));
  chart_->renderTo(painter, QRectF(0, 0, size.width(), text.top() - 8));
}

QString RooflinePanel::exportPicture(const QString& path) {
  if (!results_ || isEmptyState()) return tr("There is no roofline to write.");
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return file.errorString();
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(kPictureSize);
    generator.setViewBox(QRect(QPoint(), kPictureSize));
    generator.setResolution(logicalDpiX());  // the texts were measured for it
    generator.setTitle(tr("Roofline"));
    {
      QPainter painter(&generator);
      paintPicture(painter, kPictureSize);
    }
    file.write(buffer.data());
  } else {
    constexpr int kRatio = 2;
    QImage image(kPictureSize * kRatio, QImage::Format_RGB32);
    image.setDevicePixelRatio(kRatio);
    {
      QPainter painter(&image);
      painter.setRenderHint(QPainter::Antialiasing);
      paintPicture(painter, kPictureSize);
    }
    if (!image.save(&file, "PNG")) return tr("The picture could not be written to %1.").arg(path);
  }
  return file.commit() ? QString() : file.errorString();
}

void RooflinePanel::askForPicture() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export the roofline"), QStringLiteral("roofline.png"),
                                   tr("Pictures (*.png *.svg)"));
  if (path.isEmpty()) return;
  const QString problem = exportPicture(path);
  line_->setText(problem.isEmpty() ? tr("Written to %1").arg(path) : problem);
}

}  // namespace ridgeline
