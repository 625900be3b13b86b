import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { type BooksService, type LiveStream, pageOf, withFilledPanels } from "./dev-page.test-kit.ts";

/** A call of an action of a panel. */
interface ActionCall {
  readonly panel: string;
  readonly action: string;
  /** The row, or a function that finds it. @default none: the action is for the whole panel */
  readonly row?: string | (() => Promise<string>);
  readonly texts?: Readonly<Record<string, string>>;
}

type ActionCalls = (service: BooksService, live: LiveStream) => readonly ActionCall[];

const ORDER = "order version 1";

/** Waits for a row that allows an action. @param at index among several such rows @param text text that a cell must have */
const rowFor =
  (live: LiveStream, panel: string, action: string, at = -1, text?: string) =>
  async (): Promise<string> => {
    const find = () =>
      live
        .panel(panel)
        ?.content.rows.filter(
          ({ actions, cells }) =>
            (actions?.includes(action) ?? true) && (text === undefined || cells.includes(text)),
        )
        .at(at);
    await waitFor(() => find() !== undefined, {
      subject: `a row of ${panel} for ${action}`,
      timeoutMs: 60_000,
    });
    return find()?.id ?? "";
  };

/** Remembers the found row for later actions: after the first action, `rowFor` no longer finds it. */
const rememberRow = (row: () => Promise<string>): (() => Promise<string>) => {
  let found: Promise<string> | undefined;
  return () => (found ??= row());
};

/** Calls of every action of every panel, ordered so that each finds its row. */
export const actionCalls: ActionCalls = (_, live) => {
  const order = (key: string, action: string) => rowFor(live, "sagas", action, 0, key);
  const reminder = rememberRow(rowFor(live, "work", "cancel", 0));
  return [
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
    {
      panel: "parked",
      action: "discard",
      row: rowFor(live, "parked", "discard"),
      texts: { note: "a test" },
    },
    { panel: "parked", action: "replay", row: rowFor(live, "parked", "replay", 0) },
    { panel: "work", action: "cancel", row: reminder },
    { panel: "work", action: "retry", row: reminder },
    {
      panel: "sagas",
      action: "retry",
      row: order("2", "retry"),
      texts: { reason: "the service works again" },
    },
    { panel: "sagas", action: "skip", row: order("3", "skip"), texts: { reason: "paid at the counter" } },
    { panel: "sagas", action: "settle", row: order("4", "settle"), texts: { reason: "paid by cheque" } },
    { panel: "sagas", action: "cancel", row: order("1", "cancel"), texts: { reason: "a test" } },
    { panel: "projections", action: "go-live", row: rowFor(live, "projections", "go-live", 0, "100 %") },
    { panel: "projections", action: "resume", row: rowFor(live, "projections", "resume") },
    { panel: "projections", action: "cancel", row: "statistics 2" },
    { panel: "projections", action: "rebuild", row: "statistics 2" },
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
};

/** Names of all actions of all panels. */
export const actionsOf = (live: LiveStream): readonly string[] =>
  live.panels().flatMap(({ name, actions }) => actions.map((action) => `${name} ${action.name}`));

/** Calls every action once. @param variables settings of the service */
export const callEveryAction = (variables: Readonly<Record<string, string>> = {}): Promise<void> =>
  withFilledPanels(async (service, live) => {
    const { act } = pageOf(service.page);
    const calls = actionCalls(service, live);
    expect(calls.map(({ panel, action }) => `${panel} ${action}`).toSorted()).toEqual(
      actionsOf(live).toSorted(),
    );
    for (const { panel, action, row = null, texts = {} } of calls) {
      const id = typeof row === "function" ? await row() : row;
      const outcome = await act(panel, action, id, texts);
      expect({ panel, action, id, ...outcome }).toMatchObject({ panel, action, ok: true });
    }
  }, variables);
