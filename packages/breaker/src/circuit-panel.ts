import type { Panel } from "@framework/core/feature";
import type { Circuits } from "./circuits.ts";

/** Returns the dev-page panel of the circuits. */
export const circuitPanel = (circuits: Circuits): Panel => ({
  name: "circuits",
  title: "Circuits",
  scope: "worker",
  read: () => ({
    columns: ["Circuit", "State", "Failures in a row", "Seconds until a trial"],
    rows: circuits.list().map(({ name, state, failures, retryAfterSecs }) => ({
      id: name,
      cells: [name, state, failures, retryAfterSecs],
      actions: state === "closed" ? ["trip"] : ["reset"],
    })),
  }),
  actions: [
    { name: "trip", label: "Open", on: "row", run: (name) => circuits.trip(name ?? "") },
    { name: "reset", label: "Close", on: "row", run: (name) => circuits.reset(name ?? "") },
  ],
});
