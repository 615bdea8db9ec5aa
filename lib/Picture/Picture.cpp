//===- Picture.cpp - a step's memory as a picture -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Picture/Picture.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace memopt;

static constexpr struct {
  const char *name, *color;
} kinds[KindCount] = {
    {"arguments", "#d9d9d9"},  {"results", "#b07aa1"},
    {"codes", "#e15759"},      {"saved activations", "#4e79a7"},
    {"recomputed", "#f28e2b"}, {"transients", "#76b7b2"}};

/// "8.95 GB".
static std::string toBytes(double bytes) {
  static constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  for (; bytes >= 999.5 && unit < 5; ++unit)
    bytes /= 1000;
  return llvm::formatv("{0} {1}", llvm::format("%.3g", bytes), units[unit]);
}

/// A step of 1, 2 or 5 times a power of ten, for about four lines below `most`.
static double getTick(double most) {
  double tick = std::pow(10, std::floor(std::log10(std::max(most, 1e-9) / 4)));
  for (double factor : {5.0, 2.0})
    if (tick * factor * 4 <= most)
      return tick * factor;
  return tick;
}

namespace {
/// A rectangle with axes: x and y from 0 to a largest value.
struct Panel {
  double left, top, width, height, mostX, mostY;

  double x(double value) const { return left + width * value / mostX; }
  double y(double value) const { return top + height * (1 - value / mostY); }
};

class Drawing {
public:
  Drawing(const Picture &picture) : picture(picture), os(text) {}

  std::string draw() {
    os << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 460\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect width=\"1200\" height=\"460\" fill=\"white\"/>\n";
    write(24, 28, picture.title, "font-size=\"16\" font-weight=\"bold\"");
    panels = 1 + picture.before.has_value() + hasFront();
    double most = getMost(picture.after);
    if (picture.before) {
      most = std::max(most, getMost(*picture.before));
      drawTimeline(*picture.before, "before", most);
    }
    drawTimeline(picture.after, picture.before ? "after" : "as written", most);
    drawLegend();
    if (hasFront())
      drawFront();
    os << "</svg>\n";
    return text;
  }

private:
  static double getMost(const Timeline &timeline) {
    double most = 1;
    for (const auto &bytes : timeline.bytes) {
      double sum = 0;
      for (int64_t part : bytes)
        sum += part;
      most = std::max(most, sum);
    }
    return most;
  }

  void write(double x, double y, const std::string &what,
             const char *style = "") {
    std::string escaped;
    for (char c : what)
      escaped += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    os << llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" {2}>{3}</text>\n", x,
                        y, style, escaped);
  }

  void line(double x1, double y1, double x2, double y2, const char *style) {
    os << llvm::formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" "
                        "y2=\"{3:f1}\" {4}/>\n",
                        x1, y1, x2, y2, style);
  }

  void drawAxes(const Panel &panel, bool percent) {
    double tick = getTick(panel.mostY);
    for (double value = 0; value <= panel.mostY; value += tick) {
      line(panel.left, panel.y(value), panel.left + panel.width, panel.y(value),
           "stroke=\"#e8e8e8\"");
      write(panel.left - 6, panel.y(value) + 4,
            percent
                ? llvm::formatv("{0}%", llvm::format("%g", value * 100)).str()
                : toBytes(value),
            "text-anchor=\"end\" fill=\"#555\"");
    }
    line(panel.left, panel.top + panel.height, panel.left + panel.width,
         panel.top + panel.height, "stroke=\"#555\"");
  }

  bool hasFront() const { return !picture.front.empty(); }

  /// The next panel to the right; they share the width.
  Panel addPanel(double mostX, double mostY) {
    double pitch = 1130.0 / panels;
    return {70 + pitch * drawn++, 64, pitch - 57, 330, mostX, mostY};
  }

  void drawTimeline(const Timeline &timeline, const char *name, double most) {
    size_t count = timeline.bytes.size();
    Panel panel = addPanel(std::max<double>(1, count), most * 1.05);
    drawAxes(panel, false);
    std::vector<double> below(count, 0);
    for (int kind = 0; kind < KindCount; ++kind) {
      std::string top, bottom;
      for (size_t i = 0; i < count; ++i) {
        double above = below[i] + timeline.bytes[i][kind];
        top += llvm::formatv("{0:f1},{1:f1} {2:f1},{1:f1} ", panel.x(i),
                             panel.y(above), panel.x(i + 1));
        bottom = llvm::formatv("{2:f1},{1:f1} {0:f1},{1:f1} ", panel.x(i),
                               panel.y(below[i]), panel.x(i + 1))
                     .str() +
                 bottom;
        below[i] = above;
      }
      os << "<polygon fill=\"" << kinds[kind].color << "\" points=\"" << top
         << bottom << "\"/>\n";
    }
    double border = panel.x(timeline.backward);
    line(border, panel.top, border, panel.top + panel.height,
         "stroke=\"#333\" stroke-dasharray=\"3 3\"");
    write(border + 4, panel.top + 10, "backward", "fill=\"#333\"");
    write(panel.left, panel.top - 10, name, "font-weight=\"bold\"");
    write(panel.left + panel.width, panel.top - 10,
          "peak " + toBytes(getMost(timeline)) + " with arguments",
          "text-anchor=\"end\"");
  }

  double toShare(int64_t picoseconds) const {
    return double(picoseconds) / std::max<int64_t>(1, picture.stepTime);
  }

  void drawFront() {
    double mostX = std::max<double>(1, picture.chosen.bytes), mostY = 1e-6;
    for (const FrontPoint &point : picture.front) {
      mostX = std::max<double>(mostX, point.bytes);
      mostY = std::max({mostY, toShare(point.cost), toShare(point.bound)});
    }
    Panel panel = addPanel(mostX * 1.05, mostY * 1.05);
    drawAxes(panel, true);
    double tick = getTick(panel.mostX);
    for (double value = 0; value <= panel.mostX; value += tick)
      write(panel.x(value), panel.top + panel.height + 16, toBytes(value),
            "text-anchor=\"middle\" fill=\"#555\"");
    drawCurve(panel, &FrontPoint::bound, /*steps=*/false,
              "stroke=\"#999\" stroke-dasharray=\"4 3\"");
    // Between two plans the one of fewer bytes is the best that fits.
    drawCurve(panel, &FrontPoint::cost, /*steps=*/true, "stroke=\"#4e79a7\"");
    if (picture.budget && *picture.budget <= panel.mostX)
      line(panel.x(*picture.budget), panel.top, panel.x(*picture.budget),
           panel.top + panel.height,
           "stroke=\"#e15759\" stroke-dasharray=\"3 3\"");
    os << llvm::formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"5\" "
                        "fill=\"#e15759\"/>\n",
                        panel.x(picture.chosen.bytes),
                        panel.y(toShare(picture.chosen.cost)));
    write(panel.left, panel.top - 10,
          picture.boundsSaved
              ? "recomputation, of the step, against saved bytes"
              : "recomputation, of the step, against peak",
          "font-weight=\"bold\"");
    drawFrontLegend(panel.left);
  }

  void drawCurve(const Panel &panel, int64_t FrontPoint::*cost, bool steps,
                 const char *style) {
    os << "<polyline fill=\"none\" stroke-width=\"2\" " << style
       << " points=\"";
    const FrontPoint *last = nullptr;
    for (const FrontPoint &point : picture.front) {
      if (steps && last)
        os << llvm::formatv("{0:f1},{1:f1} ", panel.x(point.bytes),
                            panel.y(toShare(last->*cost)));
      os << llvm::formatv("{0:f1},{1:f1} ", panel.x(point.bytes),
                          panel.y(toShare(point.*cost)));
      last = &point;
    }
    os << "\"/>\n";
  }

  void drawLegend() {
    double x = 70;
    for (const auto &kind : kinds) {
      os << llvm::formatv("<rect x=\"{0:f1}\" y=\"424\" width=\"12\" "
                          "height=\"12\" fill=\"{1}\"/>\n",
                          x, kind.color);
      write(x + 17, 434, kind.name);
      x += 42 + 7 * std::strlen(kind.name);
    }
  }

  void drawFrontLegend(double x) {
    line(x, 430, x + 25, 430, "stroke=\"#4e79a7\" stroke-width=\"2\"");
    write(x + 30, 434, "plans");
    line(x + 75, 430, x + 100, 430,
         "stroke=\"#999\" stroke-width=\"2\" stroke-dasharray=\"4 3\"");
    write(x + 105, 434, "lower bound");
    os << llvm::formatv(
        "<circle cx=\"{0:f1}\" cy=\"430\" r=\"5\" fill=\"#e15759\"/>\n",
        x + 200);
    write(x + 210, 434, "chosen");
  }

  int panels = 1, drawn = 0;
  const Picture &picture;
  std::string text;
  llvm::raw_string_ostream os;
};
} // namespace

Picture::Picture(StringRef function, DictionaryAttr plan)
    : title(("@" + function).str()) {
  if (!plan)
    return;
  auto find = [&](StringRef name) -> std::optional<int64_t> {
    auto entry = plan.getAs<IntegerAttr>(name);
    return entry ? std::optional<int64_t>(entry.getInt()) : std::nullopt;
  };
  if (auto device = plan.getAs<StringAttr>("device"))
    title += ", rematerialized for " + device.str();
  boundsSaved = plan.contains("saved_budget_bytes");
  budget = find(boundsSaved ? "saved_budget_bytes" : "peak_budget_bytes");
  stepTime = find("step_picoseconds").value_or(0);
  chosen.bytes = find(boundsSaved ? "saved_bytes" : "peak_bytes").value_or(0);
  chosen.cost = find("recompute_picoseconds").value_or(0);
  chosen.bound = find("lower_bound_picoseconds").value_or(0);
}

std::string Picture::draw() const { return Drawing(*this).draw(); }
