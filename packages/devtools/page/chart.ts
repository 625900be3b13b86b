import { element, setText } from "./element.ts";
import { formatNumber } from "./live-table.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 480;
const HEIGHT = 120;
/** Rows in the table of a chart. */
const ROWS = 12;

/** One line of a chart; `null` where nothing was measured. */
export interface Line {
  readonly name: string;
  readonly points: readonly (number | null)[];
}

/** A chart that is updated in place. */
export interface Chart<Content> {
  readonly root: HTMLElement;
  update(content: Content): void;
}

/** One bar: its label, such as the bound of a bucket, and its length. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

const svgElement = (name: string, attributes: Readonly<Record<string, string | number>>): SVGElement => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
};

/** A figure with a picture, a label for screen readers, and the numbers as a table. */
const figure = (title: string, unit: string) => {
  const now = element("span", { class: "value" });
  const picture = svgElement("svg", {
    class: "chart",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
  });
  const maximum = element("span", { class: "maximum", "aria-hidden": "true" });
  const head = element("tr");
  const body = element("tbody");
  const numbers = element(
    "details",
    {},
    element("summary", {}, "Numbers", element("span", { class: "unseen" }, ` of ${title}`)),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": `Numbers of ${title}` },
      element("table", {}, element("thead", {}, head), body),
    ),
  );
  const root = element(
    "figure",
    {},
    element("figcaption", {}, `${title}${unit === "" ? "" : `, ${unit}`} `, now),
    maximum,
    picture,
    numbers,
  );
  return {
    root,
    picture,
    setCaption(current: string, top: number): void {
      setText(now, current);
      setText(maximum, formatNumber(top));
      picture.setAttribute("aria-label", `${title}: ${current}. At most ${formatNumber(top)} ${unit}`.trim());
    },
    /** Updates the table while it is open. */
    table(columns: readonly string[], rows: () => readonly (readonly string[])[]): void {
      if (!numbers.open) return;
      head.replaceChildren(...columns.map((column) => element("th", { scope: "col" }, column)));
      body.replaceChildren(
        ...rows().map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell)))),
      );
    },
  };
};

/** A chart of up to three lines over the last two minutes, with different colours and dashes. */
export const lineChart = (title: string, unit: string): Chart<readonly Line[]> => {
  const { root, picture, setCaption, table } = figure(title, unit);
  return {
    root,
    update(lines) {
      const top = Math.max(...lines.flatMap(({ points }) => points.map((point) => point ?? 0)), 0);
      picture.replaceChildren(
        ...lines.map(({ points }, at) =>
          svgElement("path", { class: `line-${at + 1}`, d: path(points, top) }),
        ),
      );
      setCaption(lines.map(({ name, points }) => `${name} ${shown(points.at(-1))}`).join(", "), top);
      table(["Seconds ago", ...lines.map(({ name }) => name)], () => rowsOf(lines));
    },
  };
};

/** A histogram: a bar for each bucket between the first and the last that is not empty. */
export const barChart = (title: string, unit: string): Chart<{ bars: readonly Bar[]; text: string }> => {
  const { root, picture, setCaption, table } = figure(title, unit);
  return {
    root,
    update({ bars, text }) {
      const top = Math.max(...bars.map(({ value }) => value), 0);
      const width = WIDTH / Math.max(1, bars.length);
      picture.replaceChildren(
        ...bars.map(({ value }, at) => {
          const height = top === 0 ? 0 : (value / top) * (HEIGHT - 4);
          const position = { x: at * width + 1, y: HEIGHT - height, width: Math.max(1, width - 2), height };
          return svgElement("rect", { class: "bar", ...position });
        }),
      );
      setCaption(text, top);
      table(["Up to", "Observations"], () => bars.map(({ label, value }) => [label, formatNumber(value)]));
    },
  };
};

/** Returns a path with a gap for each missing value; a point between two gaps is a short dash. */
const path = (points: readonly (number | null)[], top: number): string =>
  points
    .map((point, at) => {
      if (point === null) return "";
      const x = (at / Math.max(1, points.length - 1)) * WIDTH;
      const y = HEIGHT - 2 - (point / (top || 1)) * (HEIGHT - 4);
      const position = `${x.toFixed(1)} ${y.toFixed(1)}`;
      return (points[at - 1] ?? null) === null ? `M${position}h3` : `L${position}`;
    })
    .join("");

/** Returns about a dozen samples, the latest first. */
const rowsOf = (lines: readonly Line[]): readonly (readonly string[])[] => {
  const count = Math.max(...lines.map(({ points }) => points.length));
  const step = Math.max(1, Math.ceil(count / ROWS));
  const agos = Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
  return agos.map((ago) => [String(ago), ...lines.map(({ points }) => shown(points.at(-1 - ago)))]);
};

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : formatNumber(value);
