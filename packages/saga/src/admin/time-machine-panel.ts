import { FrameworkError, HttpError, NotFoundError, ValueError } from "@framework/core";
import type { Panel, PanelRow } from "@framework/core/feature";
import type { AnySaga } from "../definition/definition.ts";
import type { MessageSender } from "../definition/send-work.ts";
import type { MachineOptions, TimeMachine } from "../testing/time-machine.ts";
import { sagaTables } from "./saga-panel.ts";

/** Maximum number of concurrent time machines. */
const MAX_MACHINES = 10;

interface RunningMachine {
  readonly machine: TimeMachine<unknown>;
  crashes: number;
}

/** The panel, with a function that closes its databases. */
export interface TimeMachinePanel {
  readonly panel: Panel;
  close(): Promise<void>;
}

/** Discards the messages of sagas in time machines. */
const discardingSender: MessageSender = { send: async () => {} };

/**
 * Returns the dev-page panel of time machines for the defined sagas: start one, simulate a worker loss after an attempt, resume, replay, show the undo plan.
 *
 * Each has its own in-memory database, never the app's. Its steps call the same functions as in the app, with all their effects.
 */
export const timeMachinePanel = (
  definitions: () => readonly AnySaga[],
  options: Pick<MachineOptions, "prepare" | "scopes"> = {},
): TimeMachinePanel => {
  const running = new Map<string, RunningMachine>();
  const find = (row: string | null): RunningMachine => {
    const entry = running.get(row ?? "");
    if (entry === undefined) throw new HttpError(409, "Start the saga first");
    return entry;
  };
  let starting: Promise<unknown> = Promise.resolve();
  /** Starts sagas one at a time: of two concurrent starts of one saga, the time machine of the first would stay open for ever. */
  const startInOrder = (row: string | null, text: string): Promise<void> => {
    const started = starting.then(() => start(row, text));
    starting = started.catch(() => {}); // the caller gets the error
    return started;
  };
  const start = async (row: string | null, text: string): Promise<void> => {
    const definition = definitions().find((each) => rowIdOf(each) === row);
    if (definition === undefined) throw new NotFoundError("There is no such saga");
    const known = running.get(rowIdOf(definition));
    if (known === undefined && running.size >= MAX_MACHINES)
      throw new HttpError(409, `${MAX_MACHINES} sagas are running already; end one`);
    const input = parseJson(text);
    const { openMachine } = await import("../testing/time-machine.ts");
    const machine = await openMachine(definition, { ...options, sender: discardingSender });
    try {
      await machine.start(input);
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      if (!FrameworkError.is(error) || error.code !== "SAGA_BAD_VALUE") throw error;
      throw new ValueError(error.message, { cause: error }); // a 4xx, because the input comes from the client
    }
    await known?.machine[Symbol.asyncDispose]();
    running.set(rowIdOf(definition), { machine, crashes: 0 });
  };
  const panel: Panel = {
    name: "time-machine",
    title: "Time machine",
    scope: "worker",
    read: async () => ({
      note: "Sagas on separate in-memory databases. Their steps really call external services: use test services",
      columns: ["Saga", "Status", "Next step", "Crashes", "Would be undone"],
      rows: await Promise.all(definitions().map((each) => rowOf(each, running.get(rowIdOf(each))))),
    }),
    async details(row) {
      const { machine } = find(row);
      const plan = await machine.plan();
      return [
        {
          title: "Compensation plan",
          columns: ["Undo, in order"],
          rows: plan.map((step, at) => ({ id: String(at), cells: [step] })),
        },
        ...sagaTables(await machine.info(), await machine.timeline()),
      ];
    },
    actions: [
      {
        name: "start",
        label: "Start",
        on: "row",
        fields: [{ name: "input", label: "Input as JSON", value: "{}" }],
        run: (row, { input = "" }) => startInOrder(row, input),
      },
      {
        name: "run",
        label: "Run",
        on: "row",
        fields: [
          {
            name: "crashAfter",
            label: "Number of the attempt after which the worker is lost, from 1; empty for none",
          },
        ],
        async run(row, { crashAfter = "" }) {
          const entry = find(row);
          const at = crashAfter.trim() === "" ? undefined : Number(crashAfter);
          if (at !== undefined && !(Number.isInteger(at) && at >= 1))
            throw new ValueError("The number of an attempt must be a whole number from 1");
          const isLost = await entry.machine.run(at === undefined ? {} : { crashAfter: at });
          if (isLost) entry.crashes++;
          return isLost ? "The worker was lost; run again to resume" : "Nothing more is due";
        },
      },
      {
        name: "advance",
        label: "Advance time",
        on: "row",
        fields: [{ name: "seconds", label: "Seconds", value: "60" }],
        async run(row, { seconds = "" }) {
          const secs = Number(seconds);
          if (!(secs > 0 && secs <= 31_536_000))
            throw new ValueError("Seconds must be a number above 0, at most a year");
          await find(row).machine.advance(secs * 1000);
        },
      },
      { name: "cancel", label: "Cancel", on: "row", run: (row) => find(row).machine.cancel() },
      {
        name: "replay",
        label: "Replay",
        on: "row",
        async run(row) {
          const entry = find(row);
          await entry.machine.replay();
          entry.crashes = 0;
          return "The saga restarts with the same input";
        },
      },
      {
        name: "end",
        label: "End",
        on: "row",
        async run(row) {
          await find(row).machine[Symbol.asyncDispose]();
          running.delete(row ?? "");
        },
      },
    ],
  };
  return {
    panel,
    async close() {
      await starting; // it adds its time machine
      const open = [...running.values()];
      running.clear();
      await Promise.all(open.map(({ machine }) => machine[Symbol.asyncDispose]()));
    },
  };
};

const rowOf = async (definition: AnySaga, running: RunningMachine | undefined): Promise<PanelRow> => {
  const id = rowIdOf(definition);
  if (running === undefined) return { id, cells: [id, "not started", null, null, null], actions: ["start"] };
  const { status, position } = await running.machine.info();
  const plan = await running.machine.plan();
  return { id, cells: [id, status, position + 1, running.crashes, plan.join(", ") || "nothing"] };
};

const rowIdOf = ({ name, version }: AnySaga): string => `${name} version ${version}`;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ValueError("The input is not valid JSON");
  }
};
