import type { RequestEntry } from "../src/requests/request-entry.ts";
import { element, setText } from "./element.ts";
import { liveTable, formatNumber } from "./live-table.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

const MAX_SHOWN = 100;

/** Live requests, and the steps of the selected request. */
export const requestsView = (store: Store): View => {
  let filter = "";
  let open: string | null = null;
  const table = liveTable("Requests");
  const detail = element("section", { "aria-label": "Steps of the request", hidden: true });
  let painted: string | null = null;
  const field = element("input", { type: "search", id: "filter" });
  field.addEventListener("input", () => {
    filter = field.value.toLowerCase();
    update();
  });
  const paused = element("button", { type: "button", "aria-pressed": String(store.isPaused) }, "Pause");
  paused.addEventListener("click", () => {
    store.isPaused = !store.isPaused;
    paused.setAttribute("aria-pressed", String(store.isPaused));
  });
  const empty = element("p", { class: "quiet" });
  const update = (): void => {
    const several = store.workers().length > 1;
    const found = store.requests
      .filter((entry) => `${entry.method} ${entry.path} ${entry.status ?? ""}`.toLowerCase().includes(filter))
      .slice(0, MAX_SHOWN);
    table.update(
      ["Request", "Status", "ms", "Time", ...(several ? ["Worker"] : [])],
      found.map((entry) => ({
        id: entry.id,
        cells: [
          `${entry.method} ${entry.path}${queryOf(entry)}`,
          entry.status ?? "failed",
          entry.ms,
          new Date(entry.at).toLocaleTimeString("en-GB"),
          ...(several ? [entry.worker] : []),
        ],
        classes: ["", classOf(entry.status)],
        isOpen: entry.id === open,
        open: () => {
          open = open === entry.id ? null : entry.id;
          update();
        },
      })),
    );
    table.root.hidden = found.length === 0;
    empty.hidden = found.length > 0;
    setText(empty, emptyText(store, filter));
    const entry = store.requests.find(({ id }) => id === open);
    if (entry?.id === painted) return;
    painted = entry?.id ?? null;
    detail.hidden = entry === undefined;
    detail.replaceChildren(...(entry === undefined ? [] : steps(entry)));
  };
  const root = element(
    "div",
    {},
    element("h2", {}, "Requests"),
    element("div", { class: "tools" }, element("label", { for: "filter" }, "Filter"), field, paused),
    empty,
    element("div", { class: "split" }, element("div", {}, table.root), detail),
  );
  return { root, update };
};

const emptyText = ({ facts, requests }: Store, filter: string): string => {
  if (facts?.debug === false) return "Requests are not recorded: the service runs without debug";
  if (requests.length > 0) return `No recorded request matches “${filter}”`;
  return "Waiting for the first request. Requests are recorded while this page is open";
};

const steps = (entry: RequestEntry): readonly HTMLElement[] => {
  const table = liveTable("Steps");
  const whole = Math.max(entry.ms, 0.001);
  table.update(
    ["Step", "Outcome", "ms", "Why"],
    entry.steps.map(({ kind, name, stage, outcome, ownMs, reasons }, at) => ({
      id: String(at),
      cells: [
        kind === "middleware" || kind === name ? name : `${kind} ${name}`,
        outcome,
        ownMs ?? "",
        [...reasons, ...(stage === null ? [] : [`stage ${stage}`])].join("; "),
      ],
      classes: ["", outcomeClasses[outcome], "number", ""],
    })),
  );
  const slowest = [...entry.steps].sort((one, other) => (other.ownMs ?? 0) - (one.ownMs ?? 0))[0];
  const share = slowest === undefined ? 0 : (slowest.ownMs ?? 0) / whole;
  return [
    element("h3", {}, `${entry.method} ${entry.path}`),
    element(
      "p",
      {},
      `${entry.status ?? "failed"} in ${formatNumber(entry.ms)} ms, ${entry.route === null ? "no route" : `route ${entry.route}`}, worker ${entry.worker}. `,
      slowest === undefined ? "" : `Slowest: ${slowest.name}, ${Math.round(Math.min(1, share) * 100)} %.`,
    ),
    ...(entry.omittedSteps > 0 ? [element("p", {}, `${entry.omittedSteps} more steps are not shown`)] : []),
    table.root,
  ];
};

const queryOf = ({ queryNames }: RequestEntry): string =>
  queryNames.length === 0 ? "" : `?${queryNames.map((name) => `${name}=…`).join("&")}`;

const classOf = (status: number | null): string => {
  if (status === null || status >= 500) return "number bad";
  return status >= 400 ? "number warn" : "number good";
};

const outcomeClasses: Readonly<Record<RequestEntry["steps"][number]["outcome"], string>> = {
  ran: "good",
  answered: "warn",
  failed: "bad",
  skipped: "quiet",
  "not reached": "quiet",
};
