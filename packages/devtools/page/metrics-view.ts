import { element, setText } from "./element.ts";
import { histogramCharts } from "./histogram-charts.ts";
import { liveTable, formatNumber } from "./live-table.ts";
import { serviceCharts } from "./service-charts.ts";
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

/** Charts of the service, histograms of its features, and a plot of the last two minutes for each metric; counters are shown as rates per second. */
export const metricsView = (store: Store): View => {
  const field = element("input", { type: "search", id: "filter" });
  const fits = (name: string): boolean => name.toLowerCase().includes(field.value.toLowerCase());
  const service = serviceCharts(store);
  const histograms = histogramCharts(store, fits);
  const plots = plotList();
  const table = liveTable("Metrics as a table");
  table.root.hidden = true;
  const asTable = element("button", { type: "button", "aria-pressed": "false" }, "As a table");
  const update = (): void => {
    service.update();
    histograms.update();
    const wanted = [...store.series.values()].filter(({ key }) => fits(key)).slice(0, MAX_PLOTS);
    plots.root.hidden = !table.root.hidden;
    if (table.root.hidden) plots.update(wanted);
    else table.update(["Metric", "Now", "Minimum", "Maximum", "Total"], wanted.map(rowOf));
  };
  field.addEventListener("input", update);
  asTable.addEventListener("click", () => {
    table.root.hidden = !table.root.hidden;
    asTable.setAttribute("aria-pressed", String(!table.root.hidden));
    update();
  });
  const root = element(
    "div",
    {},
    element("h2", {}, "Metrics"),
    service.root,
    element("h3", {}, "Metrics and histograms of features"),
    element("div", { class: "tools" }, element("label", { for: "filter" }, "Filter"), field, asTable),
    histograms.root,
    plots.root,
    table.root,
  );
  return { root, update };
};

const plotList = (): { readonly root: HTMLElement; update(wanted: readonly Series[]): void } => {
  const plots = new Map<string, Plot>();
  const root = element("ul", { class: "plots" });
  return {
    root,
    update(wanted) {
      const keys = new Set(wanted.map(({ key }) => key));
      for (const [key, { item }] of plots)
        if (!keys.has(key)) {
          item.remove();
          plots.delete(key);
        }
      for (const series of wanted) {
        const plot = plots.get(series.key) ?? newPlot(series);
        if (!plots.has(series.key)) root.append(plot.item);
        plots.set(series.key, plot);
        plot.paint(series);
      }
    },
  };
};

const rowOf = ({ key, metric, labels, points, total }: Series) => ({
  id: key,
  cells: [
    nameOf(metric.name, labels),
    formatNumber(points.at(-1) ?? 0),
    formatNumber(Math.min(...points)),
    formatNumber(Math.max(...points)),
    metric.type === "counter" ? formatNumber(total ?? 0) : "",
  ],
});

const nameOf = (name: string, labels: string): string => (labels === "" ? name : `${name} ${labels}`);

const newPlot = ({ metric, labels }: Series): Plot => {
  const value = element("div", { class: "value" });
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "plot");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "polyline");
  svg.append(line);
  const item = element(
    "li",
    { title: metric.help },
    element("div", { class: "name" }, element("code", {}, nameOf(metric.name, labels))),
    value,
    svg,
  );
  return {
    item,
    paint({ points, total }) {
      const last = points.at(-1) ?? 0;
      setText(
        value,
        metric.type === "counter"
          ? `${formatNumber(last)} per second, ${formatNumber(total ?? 0)} in total`
          : formatNumber(last),
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
