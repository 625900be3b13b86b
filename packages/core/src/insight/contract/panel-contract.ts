import assert from "node:assert/strict";
import { type PortContract, portContract } from "../../contract/port-contract.ts";
import type { Panel, PanelAction, PanelTable } from "../panel.ts";

/** A panel with rows and, if it has actions or details of rows, in a state that shows them. */
export interface PanelFixture {
  /** The panel of a started app. */
  readonly panel: Panel;
  /** Closes everything that the fixture opened. */
  readonly close?: () => unknown;
}

/** An id that no row has. */
const MISSING_ID = "no such row";

/** Maximum characters of a row's id. */
const MAX_ID = 400;

/** The contract of `Panel`, on which the dev page relies. */
export const panelContract: PortContract<PanelFixture> = portContract<PanelFixture>("panel", {
  "has a name of lower-case words and a title": ({ panel: { name, title } }) => {
    assert.match(name, /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
    assert.notEqual(title.trim(), "");
  },

  "reads a table whose rows have unique ids and one plain value per column": async ({ panel }) => {
    const content = await panel.read();
    assert.ok(content.rows.length > 0, "the fixture has no rows: the suite would prove nothing");
    assertTable(content);
  },

  "names in its rows only actions of rows": async ({ panel }) => {
    const known = ofRows(panel).map(({ name }) => name);
    for (const { id, actions = [] } of (await panel.read()).rows)
      for (const name of actions) assert.ok(known.includes(name), `the row ${id} names the action ${name}`);
  },

  "names actions, labels and fields once": ({ panel: { actions = [] } }) => {
    assertUnique(actions.map(({ name }) => name));
    assertUnique(actions.map(({ label, on }) => `${on} ${label}`));
    for (const { fields = [] } of actions) {
      assertUnique(fields.map(({ name }) => name));
      assertUnique(fields.map(({ label }) => label));
      for (const { options = [], value = options[0] } of fields)
        assert.ok(options.length === 0 || options.includes(value ?? ""), `${value} is not an option`);
    }
  },

  "returns details of each row as tables": async ({ panel }) => {
    if (panel.details === undefined) return;
    const { rows } = await panel.read();
    for (const { id } of rows.slice(0, 10)) {
      const tables = await outcomeOf(() => panel.details?.(id));
      if (Error.isError(tables)) assert.notEqual(tables.message, "");
      else
        for (const table of tables ?? []) {
          assert.notEqual(table.title.trim(), "");
          assertTable(table);
        }
    }
  },

  "rejects a missing row with an error message": async ({ panel }) => {
    for (const action of ofRows(panel))
      assertRefused(action.name, await outcomeOf(() => tryMissingRow(action)));
    if (panel.details !== undefined)
      assertRefused("details", await outcomeOf(() => panel.details?.(MISSING_ID)));
  },
});

const ofRows = ({ actions = [] }: Panel): readonly PanelAction[] => actions.filter(({ on }) => on === "row");

/** Runs an action for a missing row, with a valid text in each field. */
const tryMissingRow = (action: PanelAction): unknown => {
  const texts = (action.fields ?? []).map(
    ({ name, value, options }) => [name, value ?? options?.[0] ?? "1"] as const,
  );
  return action.run(MISSING_ID, Object.fromEntries(texts));
};

/** Returns the result of work, or the error that it throws. */
const outcomeOf = async <T>(work: () => T): Promise<Awaited<T> | Error> => {
  try {
    return await work();
  } catch (error) {
    assert.ok(Error.isError(error), `threw ${String(error)}, which has no message`);
    return error;
  }
};

const assertRefused = (label: string, outcome: unknown): void => {
  assert.ok(Error.isError(outcome), `${label} accepted a row that does not exist`);
  assert.notEqual(outcome.message, "");
};

const assertTable = ({ columns, rows }: PanelTable): void => {
  assertUnique(columns);
  assertUnique(rows.map(({ id }) => id));
  for (const { id, cells } of rows) {
    assert.ok(id.length <= MAX_ID, `the id ${id} is too long`);
    assert.equal(cells.length, columns.length, `the row ${id} has ${cells.length} cells`);
    for (const cell of cells) assert.ok(isPlain(cell), `${String(cell)} is not a table value`);
  }
};

const isPlain = (cell: unknown): boolean =>
  cell === null ||
  typeof cell === "string" ||
  typeof cell === "boolean" ||
  (typeof cell === "number" && Number.isFinite(cell));

const assertUnique = (names: readonly string[]): void => {
  for (const [at, name] of names.entries())
    assert.ok(name !== "" && names.indexOf(name) === at, `"${name}" is empty or appears twice`);
};
