import { connect } from "./connection.ts";
import { byId, element, setText } from "./element.ts";
import { metricsView } from "./metrics-view.ts";
import { panelView } from "./panel-view.ts";
import { requestsView } from "./requests-view.ts";
import { routesView } from "./routes-view.ts";
import { Store } from "./store.ts";
import type { View } from "./view.ts";

const TICK_MS = 1000;
const store = new Store();
const main = byId("content");
const nav = byId("nav");
let shown: { readonly at: string; readonly view: View } | null = null;
let isDue = false;

const fixed: readonly (readonly [at: string, title: string, make: () => View])[] = [
  ["requests", "Requests", () => requestsView(store)],
  ["routes", "Routes", () => routesView(store)],
  ["metrics", "Metrics", () => metricsView(store)],
];

/** Returns the current views: the fixed views, and one view per panel. */
const views = (): readonly (readonly [at: string, title: string, make: () => View])[] => [
  ...fixed,
  ...store
    .panelNames()
    .map(([name, title]) => [`panel-${name}`, title, () => panelView(store, name)] as const)
    .sort(([, one], [, other]) => one.localeCompare(other)),
];

const paintNav = (at: string): void => {
  const wanted = views();
  const key = `${at} ${wanted.map(([name]) => name).join(" ")}`;
  if (nav.dataset["key"] === key) return;
  nav.dataset["key"] = key;
  const focused = document.activeElement?.getAttribute("href");
  nav.replaceChildren(
    ...wanted.map(([name, title]) =>
      element("li", {}, element("a", { href: `#${name}`, "aria-current": name === at && "page" }, title)),
    ),
  );
  if (focused !== null && focused !== undefined)
    nav.querySelector<HTMLAnchorElement>(`a[href="${CSS.escape(focused).replace("\\#", "#")}"]`)?.focus();
};

const wantedAt = (): string => decodeURIComponent(location.hash.slice(1));

const paint = (): void => {
  isDue = false;
  const at = wantedAt();
  const found = views().find(([name]) => name === at) ?? (shown === null ? views()[0] : undefined);
  if (found !== undefined && shown?.at !== found[0]) {
    shown?.view.close?.();
    shown = { at: found[0], view: found[2]() };
    main.replaceChildren(shown.view.root);
    document.title = `${found[1]} – Devtools`;
  }
  if (shown === null) return;
  paintNav(shown.at);
  shown.view.update();
};

/** Schedules one repaint at the next frame. */
const changed = (): void => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(paint);
};

addEventListener("hashchange", changed);
setInterval(() => {
  store.tick();
  changed();
}, TICK_MS);
paint();
void connect({
  hello(facts) {
    store.facts = facts;
    changed();
  },
  message(message) {
    store.receive(message);
    changed();
  },
  state(text, isLive) {
    setText(byId("state"), text);
    byId("state").className = isLive ? "good" : "bad";
  },
});
