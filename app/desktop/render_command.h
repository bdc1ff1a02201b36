#pragma once

#include <QStringList>

namespace ridgeline {

/// `ridgeline --render RECIPE.json -o OUT` and `ridgeline --overview OUT TRACE…`: pictures without
/// a window.

/// Whether the command line asks for a picture: then no display is needed, and none is used. Call
/// before there is a QApplication.
[[nodiscard]] bool wantsPicture(int argc, char** argv);
/// Makes the picture; returns the program's exit code: 0 fine, 1 could not, 2 wrong usage. Says
/// what it wrote on stdout, and what went wrong on stderr.
[[nodiscard]] int renderCommand(const QStringList& arguments);

}  // namespace ridgeline
