import { HttpError, NotFoundError, ValueError } from "@framework/core";
import type { Panel, PanelCell, PanelTable } from "@framework/core/feature";
import type { EventSourcingConfig } from "../event-sourcing-config.ts";
import type { EventStore } from "../event-store.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import type { StreamTimeMachine } from "./stream-time-machine.ts";

/** Maximum number of open streams, and of events per stream. */
const MAX_MACHINES = 10;
const MAX_EVENTS = 1000;
const MAX_SHOWN = 100;

/** The panel; `close` frees its databases. */
export interface StreamMachinePanel {
  readonly panel: Panel;
  close(): Promise<void>;
}

type TitledTable = PanelTable & { readonly title: string };

/**
 * Creates the dev page panel of time machines for streams: open a stream, go to any version, inspect its views at that version, and simulate a crash of the
 * projection worker.
 *
 * Each time machine works on a copy in a separate in-memory database: the app's store is only read.
 */
export const streamMachinePanel = (
  store: () => Pick<EventStore, "read">,
  { events: types, projections }: Pick<EventSourcingConfig, "events" | "projections">,
): StreamMachinePanel => {
  const open = new Map<string, StreamTimeMachine>();
  const personalFields = new Map(types.map(({ type, personal }) => [type, personal?.fields ?? []]));
  const find = (row: string | null): StreamTimeMachine => {
    const machine = open.get(row ?? "");
    if (machine === undefined) throw new NotFoundError("The stream is not open");
    return machine;
  };
  let opening: Promise<unknown> = Promise.resolve();
  /** Opens streams one at a time: two concurrent openings of a stream would leave one time machine open for ever. */
  const openInOrder = (stream: string, tenant: string): Promise<string> => {
    const opened = opening.then(() => openStream(stream, tenant));
    opening = opened.catch(() => {}); // the caller gets the error
    return opened;
  };
  const openStream = async (stream: string, tenant: string): Promise<string> => {
    const id = tenant === "" ? stream : `${tenant} ${stream}`;
    if (!open.has(id) && open.size >= MAX_MACHINES)
      throw new HttpError(409, `${MAX_MACHINES} streams are open already; close one`);
    const events: StoredEvent[] = [];
    for await (const event of store().read(stream, { tenant, limit: MAX_EVENTS + 1 })) events.push(event);
    if (events.length === 0) throw new NotFoundError(`There is no stream "${id}"`);
    if (events.length > MAX_EVENTS)
      throw new ValueError(`The stream has more than ${MAX_EVENTS} events; use streamTimeMachine in a test`);
    const { streamTimeMachine } = await import("./stream-time-machine.ts");
    const machine = await streamTimeMachine({ events, types, projections });
    await open.get(id)?.[Symbol.asyncDispose]();
    open.set(id, machine);
    await machine.run();
    return `${events.length} ${events.length === 1 ? "event" : "events"} of ${id}`;
  };
  const panel: Panel = {
    name: "streams",
    title: "Time machine of streams",
    scope: "worker",
    read: async () => ({
      note: "Each stream is copied to an in-memory database, where its views are built from it alone. The app's store is only read; the code of the projections runs",
      columns: ["Stream", "Events", "Total events", "Read by the views", "Last event"],
      rows: await Promise.all(
        [...open].map(async ([id, machine]) => {
          const { version, length, read } = await machine.now();
          return { id, cells: [id, version, length, read, machine.events().at(-1)?.type ?? null] };
        }),
      ),
    }),
    async details(row) {
      const machine = find(row);
      const views = await machine.views();
      return [
        eventTable(machine.events(), personalFields),
        ...views.map(({ name, rows }) =>
          viewTable(name, rows as readonly Readonly<Record<string, unknown>>[]),
        ),
      ];
    },
    actions: [
      {
        name: "open",
        label: "Open a stream",
        on: "panel",
        fields: [
          { name: "stream", label: "Stream name" },
          { name: "tenant", label: "Tenant, if any" },
        ],
        run: (_, { stream = "", tenant = "" }) => openInOrder(stream.trim(), tenant.trim()),
      },
      {
        name: "go",
        label: "Go to",
        on: "row",
        fields: [{ name: "version", label: "Number of events, from 0", value: "1" }],
        async run(row, { version = "" }) {
          const machine = find(row);
          await machine.goTo(integerFrom(0, version, "The number of events"));
        },
      },
      {
        name: "run",
        label: "Run",
        on: "row",
        fields: [
          {
            name: "crashAfter",
            label: "Crash the projection worker after this event, from 1; empty for never",
          },
        ],
        async run(row, { crashAfter = "" }) {
          const machine = find(row);
          const at = crashAfter.trim();
          const hasCrashed = await machine.run(
            at === "" ? {} : { crashAfter: integerFrom(1, at, "The number of an event") },
          );
          return hasCrashed ? "The worker crashed; run again to resume" : "All events were appended";
        },
      },
      {
        name: "replay",
        label: "Replay",
        on: "row",
        async run(row) {
          await find(row).replay();
          return "The stream starts again";
        },
      },
      {
        name: "close",
        label: "Close",
        on: "row",
        async run(row) {
          await find(row)[Symbol.asyncDispose]();
          open.delete(row ?? "");
        },
      },
    ],
  };
  return {
    panel,
    async close() {
      await opening; // it adds its time machine
      const machines = [...open.values()];
      open.clear();
      await Promise.all(machines.map((machine) => machine[Symbol.asyncDispose]()));
    },
  };
};

const eventTable = (
  events: readonly StoredEvent[],
  personalFields: ReadonlyMap<string, readonly string[]>,
): TitledTable => {
  const first = Math.max(0, events.length - MAX_SHOWN);
  return {
    title: "Events, the latest first",
    columns: ["Number", "Event", "Time", "Data"],
    rows: events
      .slice(first)
      .map(({ type, recordedAt, data }, at) => ({
        id: String(first + at + 1),
        cells: [
          first + at + 1,
          type,
          recordedAt.toISOString(),
          withoutPerson(data, personalFields.get(type) ?? []),
        ],
      }))
      .toReversed(),
  };
};

/** Formats the data as JSON, with personal fields hidden. */
const withoutPerson = (data: unknown, fields: readonly string[]): string =>
  JSON.stringify(data, (name, value: unknown) => (fields.includes(name) ? "(hidden)" : value));

const viewTable = (name: string, rows: readonly Readonly<Record<string, unknown>>[]): TitledTable => {
  const columns = Object.keys(rows[0] ?? {});
  return {
    title: `View ${name}`,
    columns,
    rows: rows.map((row, at) => ({ id: String(at), cells: columns.map((column) => cellOf(row[column])) })),
  };
};

const cellOf = (value: unknown): PanelCell => {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value as PanelCell; // narrowed by the condition
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
};

const integerFrom = (min: number, text: string, fieldName: string): number => {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < min)
    throw new ValueError(`${fieldName} must be an integer from ${min}`);
  return value;
};
