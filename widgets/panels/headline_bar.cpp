#include "widgets/panels/headline_bar.h"

#include <QEvent>
#include <QVBoxLayout>

#include "widgets/common/format.h"
#include "widgets/common/palette.h"
#include "widgets/panels/cells.h"
#include "widgets/panels/quality_badge.h"
#include "widgets/panels/step_share_texts.h"

namespace ridgeline {

namespace {

/// For between the apostrophes of an attribute.
QString inAttribute(const QString& text) {
  return text.toHtmlEscaped().replace(u'\'', QStringLiteral("&#39;"));
}

}  // namespace

HeadlineBar::HeadlineBar(Session& session, Analyses& analyses, QWidget* parent)
    : QFrame(parent),
      session_(session),
      analyses_(analyses),
      verdict_(new QLabel(this)),
      shares_(new ShareBar(this)),
      parts_(new QLabel(this)) {
  setObjectName(QStringLiteral("headline"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 3, 8, 4);
  layout->setSpacing(1);
  for (QLabel* label : {verdict_, parts_}) {
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    label->setWordWrap(true);
    layout->addWidget(label);
    if (label == verdict_) layout->addWidget(shares_);
    connect(label, &QLabel::linkActivated, this, &HeadlineBar::follow);
    connect(label, &QLabel::linkHovered, this, [label](const QString& link) {
      label->setToolTip(wrappedHover(link.section(u'|', 1)));
    });
  }
  shares_->setOneLine(true);
  shares_->hide();
  connect(shares_, &ShareBar::partClicked, this, &HeadlineBar::followShare);
  connect(&analyses_, &Analyses::currentChanged, this, &HeadlineBar::refresh);
  connect(&analyses_, &Analyses::busyChanged, this, &HeadlineBar::refresh);
  refresh();
}

QString HeadlineBar::verdict() const {
  return results_ ? QString::fromStdString(results_->headline.verdict) : QString();
}

void HeadlineBar::refresh() {
  results_ = analyses_.current();
  if (!results_) {
    verdict_->setText(session_.hasDocument() && analyses_.busy()
                          ? tr("Working out what the step is waiting for…")
                          : QString());
    parts_->clear();
    shares_->hide();
    setVisible(session_.hasDocument());
    return;
  }
  setVisible(true);
  const Headline& h = results_->headline;
  const QString linkStyle = QStringLiteral("style='text-decoration:none;color:%1'")
                                .arg(palette().color(QPalette::Link).name());
  const auto link = [&](const QString& target, const QString& text, const QString& hover) {
    return QStringLiteral("<a href='%1|%2' %3>%4</a>")
        .arg(target, inAttribute(hover), linkStyle, text.toHtmlEscaped());
  };
  QString verdict;
  if (session_.ranks().size() > 1)  // all figures are of one rank: say which
    verdict = tr("Rank %1 of %2: ")
                  .arg(session_.rankNumber(analyses_.currentRank()))
                  .arg(session_.ranks().size());
  // The sentence names the word itself where the two agree.
  const QString word = cells::fromView(name(h.word));
  if (h.word != Verdict::unknown &&
      !QString::fromStdString(h.verdict).startsWith(word, Qt::CaseInsensitive))
    verdict += QStringLiteral("<b>%1</b>%2. ")
                   .arg(word.left(1).toUpper() + word.mid(1),
                        h.of.empty() ? QString() : tr(" (%1)").arg(QString::fromStdString(h.of)));
  verdict += QStringLiteral("<b>%1</b>")
                 .arg(link(QStringLiteral("verdict"), QString::fromStdString(h.verdict),
                           tr("Shows the evidence")));
  verdict += badge(h.verdictSections);
  if (!h.action.empty()) verdict += u' ' + QString::fromStdString(h.action).toHtmlEscaped();
  verdict_->setText(verdict);
  shares_->setParts(barParts(h.shares, Palette::of(palette())));
  shares_->setVisible(!h.shares.shares.empty());
  QStringList parts;
  for (std::size_t i = 0; i < h.parts.size(); ++i)
    parts << link(QString::number(i), QString::fromStdString(h.parts[i].text),
                  QString::fromStdString(h.parts[i].tooltip)) +
                 badge(h.parts[i].sections);
  parts_->setText(parts.join(QStringLiteral(" &nbsp;·&nbsp; ")));
}

void HeadlineBar::followShare(int index) {
  if (!results_ || index < 0 ||
      static_cast<std::size_t>(index) >= results_->headline.shares.shares.size())
    return;
  const StepShares::Share& share =
      results_->headline.shares.shares[static_cast<std::size_t>(index)];
  const std::uint32_t rank = analyses_.currentRank();
  if (isIdle(share.part)) {
    Q_EMIT panelRequested(QStringLiteral("idle_gaps"));
    session_.requestZoomTo(session_.toSession(rank, share.longest));
    return;
  }
  Q_EMIT panelRequested(share.part <= StepPart::kernels ? QStringLiteral("kernels")
                                                        : QStringLiteral("device_time"));
  if (!share.example.valid()) return;
  session_.setActive({rank, share.example});
  session_.requestReveal(SliceRef{rank, share.example});
}

QString HeadlineBar::badge(const std::vector<std::string>& sections) const {
  const auto findings = results_->headline.quality.touchingAny(sections);
  if (findings.empty()) return {};
  return QStringLiteral("&nbsp;<a href='finding:%1|%2' style='text-decoration:none;color:%3'>▲</a>")
      .arg(QString::fromStdString(findings.front()->key), inAttribute(findingsText(findings)),
           Palette::of(palette()).warning.name());
}

void HeadlineBar::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  // The links carry the theme's colour in their text.
  if (event->type() == QEvent::PaletteChange) refresh();
}

void HeadlineBar::follow(const QString& target) {
  if (!results_) return;
  const Headline& h = results_->headline;
  const QString which = target.section(u'|', 0, 0);
  if (which.startsWith(QStringLiteral("finding:"))) {
    Q_EMIT findingRequested(which.section(u':', 1));
    return;
  }
  const bool isVerdict = which == QStringLiteral("verdict");
  const std::size_t index = which.toULong();
  if (!isVerdict && index >= h.parts.size()) return;
  const std::string& panel = isVerdict ? h.verdictPanel : h.parts[index].panel;
  const TimeSpan evidence = isVerdict ? h.verdictEvidence : h.parts[index].evidence;
  const SliceId slice = isVerdict ? h.verdictSlice : h.parts[index].slice;
  const std::uint32_t rank = analyses_.currentRank();
  if (!panel.empty()) Q_EMIT panelRequested(QString::fromStdString(panel));
  if (slice.valid()) session_.setActive({rank, slice});
  if (!evidence.empty()) {
    const TimeSpan span = session_.toSession(rank, evidence);
    const auto& gaps = results_->idleGaps.gaps;
    for (std::size_t i = 0; i < gaps.size(); ++i)
      if (gaps[i].span == evidence)
        session_.setActiveItem(
            {QStringLiteral("idle_gaps"), rank, static_cast<std::int64_t>(i), span});
    session_.requestZoomTo(span);
  } else if (slice.valid()) {
    session_.requestReveal(SliceRef{rank, slice});
  }
}

}  // namespace ridgeline
