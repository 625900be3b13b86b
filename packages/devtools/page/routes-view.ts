import type { RouteFacts, ServiceFacts } from "../src/serve/service-facts.ts";
import { element } from "./element.ts";
import { liveTable } from "./live-table.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

/** The routes, and the middleware order of the selected route. */
export const routesView = (store: Store): View => {
  let open: string | null = null;
  let painted: ServiceFacts | null = null;
  let paintedOpen: string | null = null;
  const table = liveTable("Routes");
  const detail = element("section", { "aria-label": "Steps of the route", hidden: true });
  const about = element("p", { class: "quiet" });
  const update = (): void => {
    const { facts } = store;
    if (facts === null || (facts === painted && open === paintedOpen)) return;
    painted = facts;
    paintedOpen = open;
    about.textContent = `${facts.env}, node ${facts.node}, ${facts.workers} worker${facts.workers === 1 ? "" : "s"}. Enabled: ${facts.features.join(", ")}`;
    table.update(
      ["Route", "Added by", "Authentication"],
      facts.routes.map((route) => ({
        id: nameOf(route),
        cells: [nameOf(route), route.feature ?? "the program", route.auth.join(", ") || "none"],
        isOpen: nameOf(route) === open,
        open: () => {
          open = open === nameOf(route) ? null : nameOf(route);
          update();
        },
      })),
    );
    const route = facts.routes.find((each) => nameOf(each) === open);
    detail.hidden = route === undefined;
    detail.replaceChildren(...(route === undefined ? [] : order(route)));
  };
  const root = element(
    "div",
    {},
    element("h2", {}, "Routes"),
    about,
    element("div", { class: "split" }, element("div", {}, table.root), detail),
  );
  return { root, update };
};

const nameOf = ({ method, path }: RouteFacts): string => `${method} ${path}`;

const order = (route: RouteFacts): readonly HTMLElement[] => {
  const table = liveTable("Order");
  table.update(
    ["Step", "Stage", "Why it is left out"],
    route.steps.map(({ kind, name, stage, absent }, at) => ({
      id: String(at),
      cells: [kind === "middleware" || kind === name ? name : `${kind} ${name}`, stage ?? "", absent ?? ""],
      classes: [absent === null ? "" : "quiet"],
    })),
  );
  const title = element("h3", {}, `Order of ${nameOf(route)}, outermost first`);
  return route.steps.length === 0
    ? [title, element("p", {}, "Unknown: the service runs without debug")]
    : [title, table.root];
};
