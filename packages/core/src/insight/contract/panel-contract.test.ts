import { expect, test } from "@jest/globals";
import { expectContractToCatch } from "../../contract/planted-fault.ts";
import type { Panel } from "../panel.ts";
import { panelContract } from "./panel-contract.ts";

const shelf = (): Panel => {
  const books = new Map([["emma", 2]]);
  const find = (row: string | null): string => {
    if (row === null || !books.has(row)) throw new Error("there is no such book");
    return row;
  };
  return {
    name: "shelf",
    title: "Shelf",
    read: () => ({
      columns: ["Book", "Copies"],
      rows: [...books].map(([id, copies]) => ({ id, cells: [id, copies], actions: ["remove"] })),
    }),
    details: (row) => [
      { title: "History", columns: ["Event"], rows: [{ id: "1", cells: [`${find(row)} was bought`] }] },
    ],
    actions: [
      {
        name: "add",
        label: "Add",
        on: "panel",
        fields: [{ name: "kind", label: "Kind", options: ["novel", "play"] }],
        run() {},
      },
      { name: "remove", label: "Remove", on: "row", run: (row) => void books.delete(find(row)) },
    ],
  };
};

panelContract(test, () => ({ panel: shelf() }));

const rows = (...found: Awaited<ReturnType<Panel["read"]>>["rows"]): Partial<Panel> => ({
  read: () => ({ columns: ["Book", "Copies"], rows: found }),
});

const action = (given: object): Partial<Panel> => ({
  actions: [{ name: "add", label: "Add", on: "panel", run() {}, ...given }],
});

const faults: Readonly<Record<string, Partial<Panel>>> = {
  "has a name with spaces": { name: "The shelf" },
  "has no title": { title: " " },
  "has no rows": rows(),
  "has two rows with the same id": rows({ id: "1", cells: ["a", 1] }, { id: "1", cells: ["b", 1] }),
  "has a row without an id": rows({ id: "", cells: ["a", 1] }),
  "has an id that is too long": rows({ id: "x".repeat(401), cells: ["a", 1] }),
  "has a cell too few": rows({ id: "1", cells: ["a"] }),
  "has a cell with NaN": rows({ id: "1", cells: ["a", Number.NaN] }),
  "has an undefined cell": rows({ id: "1", cells: ["a", undefined as never] }),
  "names an action that it lacks": rows({ id: "1", cells: ["a", 1], actions: ["explode"] }),
  "names an action of the panel in a row": rows({ id: "1", cells: ["a", 1], actions: ["add"] }),
  "has two actions with the same name": { actions: [...(shelf().actions ?? []), ...(shelf().actions ?? [])] },
  "has a default that is not an option": action({
    fields: [{ name: "kind", label: "Kind", options: ["a"], value: "b" }],
  }),
  "has two fields with the same label": action({
    fields: [
      { name: "a", label: "Text" },
      { name: "b", label: "Text" },
    ],
  }),
  "accepts any row in an action": action({ on: "row" }),
  "throws a value without a message": action({
    on: "row",
    run() {
      throw null; // oxlint-disable-line no-throw-literal -- the planted fault
    },
  }),
  "gives details of any row": { details: () => [] },
  "gives details with a cell too many": {
    details: () => [{ title: "History", columns: [], rows: [{ id: "1", cells: [1] }] }],
  },
};

test.each(Object.entries(faults))("the contract catches a panel that %s", async (_, fault) => {
  expect(await expectContractToCatch(panelContract, () => ({ panel: { ...shelf(), ...fault } }))).not.toEqual(
    [],
  );
});
