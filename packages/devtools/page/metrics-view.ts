import { element, setText } from "./element.ts";
import { told } from "./live-table.ts";
import type { Series, Store } from "./store.ts";
import type { View } from "./view.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 44;
const MAX_PLOTS = 150;

interface Plot {
  readonly item: HTMLLIElement;
  paint(series: Series): void;
}

/** A plot of the last two minutes for each metric; counters as their growth in a second. */
export const metricsView = (store: Store): View => {
  const plots = new Map<string, Plot>();
  const list = element("ul", { class: "plots" });
  const field = element("input", { type: "search", id: "filter" });
  const update = (): void => {
    const filter = field.value.toLowerCase();
    const wanted = [...store.series.values()]
      .filter(({ key }) => key.toLowerCase().includes(filter))
      .slice(0, MAX_PLOTS);
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, { item }] of plots)
      if (!keys.has(key)) {
        item.remove();
        plots.delete(key);
      }
    for (const series of wanted) {
      const plot = plots.get(series.key) ?? newPlot(series);
      if (!plots.has(series.key)) {
        plots.set(series.key, plot);
        list.append(plot.item);
      }
      plot.paint(series);
    }
  };
  field.addEventListener("input", update);
  const root = element(
    "div",
    {},
    element("h2", {}, "Metrics"),
    element("div", { class: "tools" }, element("label", { for: "filter" }, "Filter"), field),
    list,
  );
  return { root, update };
};

const newPlot = ({ metric, labels }: Series): Plot => {
  const value = element("div", { class: "value" });
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "plot");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "polyline");
  svg.append(line);
  const name = labels === "" ? metric.name : `${metric.name} ${labels}`;
  const item = element(
    "li",
    { title: metric.help },
    element("div", { class: "name" }, element("code", {}, name)),
    value,
    svg,
  );
  return {
    item,
    paint({ points, total }) {
      const last = points.at(-1) ?? 0;
      setText(
        value,
        metric.type === "counter" ? `${told(last)} a second, ${told(total ?? 0)} in all` : told(last),
      );
      line.setAttribute("points", path(points));
    },
  };
};

const path = (points: readonly number[]): string => {
  const top = Math.max(...points, 0);
  const bottom = Math.min(...points, 0);
  const range = top - bottom || 1;
  return points
    .map((point, at) => {
      const x = (at / Math.max(1, points.length - 1)) * WIDTH;
      const y = HEIGHT - 2 - ((point - bottom) / range) * (HEIGHT - 4);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
};
