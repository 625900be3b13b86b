import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { type BooksService, busy, type Heard, pageOf } from "./dev-page.test-kit.ts";

/** An action of a panel, as a developer uses it. */
interface Use {
  readonly panel: string;
  readonly action: string;
  /** The row, or what finds it. @default the panel's own */
  readonly row?: string | (() => Promise<string>);
  readonly texts?: Readonly<Record<string, string>>;
  /** Text of a refusal, where the service is in no state that allows the action. @default it is done */
  readonly refusal?: string;
}

type Uses = (service: BooksService, heard: Heard) => readonly Use[];

const ORDER = "order version 1";

/** Waits for a row that allows an action; of several it is the one at an index. */
const rowFor =
  (heard: Heard, panel: string, action: string, at = -1) =>
  async (): Promise<string> => {
    const find = () =>
      heard
        .panel(panel)
        ?.content.rows.filter(({ actions }) => actions?.includes(action) ?? true)
        .at(at);
    await waitFor(() => find() !== undefined, { what: `a row of ${panel} for ${action}`, timeoutMs: 60_000 });
    return find()?.id ?? "";
  };

/** Every action of every panel, in an order in which each finds what it needs. Those that need a failure of the program are done in the tests of their packages. */
export const uses: Uses = (_, heard) => [
  { panel: "circuits", action: "trip", row: "GET /books" },
  { panel: "circuits", action: "reset", row: "GET /books" },
  { panel: "cache", action: "drop", texts: { tags: "books" } },
  {
    panel: "faults",
    action: "add",
    texts: { on: "route", name: "GET /never", fault: "error", probability: "1", ms: "0", status: "504" },
  },
  { panel: "faults", action: "remove", row: "0" },
  { panel: "faults", action: "clear" },
  { panel: "limits", action: "reset", row: "default" },
  { panel: "subscriptions", action: "pause", row: "default books search" },
  { panel: "subscriptions", action: "resume", row: "default books search" },
  { panel: "parked", action: "discard", row: rowFor(heard, "parked", "discard"), texts: { note: "a test" } },
  { panel: "parked", action: "replay", row: rowFor(heard, "parked", "replay", 0) },
  { panel: "work", action: "cancel", row: rowFor(heard, "work", "cancel") },
  { panel: "work", action: "retry", row: "remind-member 1", refusal: "no such queue" },
  {
    panel: "sagas",
    action: "retry",
    row: rowFor(heard, "sagas", "cancel"),
    texts: { reason: "a test" },
    refusal: "paused or stuck",
  },
  {
    panel: "sagas",
    action: "skip",
    row: rowFor(heard, "sagas", "cancel"),
    texts: { reason: "a test" },
    refusal: "paused or stuck",
  },
  {
    panel: "sagas",
    action: "settle",
    row: rowFor(heard, "sagas", "cancel"),
    texts: { reason: "a test" },
    refusal: "paused or stuck",
  },
  { panel: "sagas", action: "cancel", row: rowFor(heard, "sagas", "cancel"), texts: { reason: "a test" } },
  { panel: "projections", action: "resume", row: "shelf 1", refusal: "No shard" },
  { panel: "projections", action: "cancel", row: "shelf 1", refusal: "not in such a state" },
  { panel: "projections", action: "rebuild", row: "shelf 1", refusal: "not in such a state" },
  { panel: "projections", action: "go-live", row: "shelf 1", refusal: "not as far" },
  {
    panel: "time-machine",
    action: "start",
    row: ORDER,
    texts: { input: '{"order":7,"book":1,"copies":1,"card":"4242"}' },
  },
  { panel: "time-machine", action: "run", row: ORDER, texts: { crashAfter: "2" } },
  { panel: "time-machine", action: "advance", row: ORDER, texts: { seconds: "60" } },
  { panel: "time-machine", action: "cancel", row: ORDER },
  { panel: "time-machine", action: "replay", row: ORDER },
  { panel: "time-machine", action: "end", row: ORDER },
  { panel: "streams", action: "open", texts: { stream: "loan-1", tenant: "" } },
  { panel: "streams", action: "go", row: "loan-1", texts: { version: "0" } },
  { panel: "streams", action: "run", row: "loan-1", texts: { crashAfter: "" } },
  { panel: "streams", action: "replay", row: "loan-1" },
  { panel: "streams", action: "close", row: "loan-1" },
];

/** Names of all actions of the panels that a page heard of. */
export const actionsOf = (heard: Heard): readonly string[] =>
  heard.panels().flatMap(({ name, actions }) => actions.map((action) => `${name} ${action.name}`));

/** Uses every action once, on the database of the service. */
export const useAll = (variables: Readonly<Record<string, string>> = {}): Promise<void> =>
  busy(async (service, heard) => {
    const { act } = pageOf(service.page);
    const table = uses(service, heard);
    expect(table.map(({ panel, action }) => `${panel} ${action}`).toSorted()).toEqual(
      actionsOf(heard).toSorted(),
    );
    for (const { panel, action, row = null, texts = {}, refusal } of table) {
      const id = typeof row === "function" ? await row() : row;
      const outcome = await act(panel, action, id, texts);
      const expected =
        refusal === undefined ? { ok: true } : { ok: false, message: expect.stringContaining(refusal) };
      expect({ panel, action, id, ...outcome }).toMatchObject({ panel, action, ...expected });
    }
  }, variables);
