import { FrameworkError } from "@framework/core";
import { memberOf, withAppDatabase } from "../app/operated-app.ts";
import type { Context, Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { table } from "../frame/table.ts";
import { styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";
import { fieldLines } from "./field-lines.ts";

/** `app.durable.parked`: the members that this command uses. */
interface ParkedWork {
  list(filter: object): Promise<{ readonly items: readonly ParkedItem[]; readonly next: string | null }>;
  inspect(id: string): Promise<ParkedItem | null>;
  replay(ids: readonly string[], options: object): Promise<ReplayResult>;
  discard(ids: readonly string[], options: { readonly note: string }): Promise<number>;
}

interface ParkedItem {
  readonly id: string;
  readonly name: string;
  readonly errorClass: string;
  readonly errorMessage: string;
  readonly attempts: number;
  readonly lastAt: number;
}

interface ReplayResult {
  readonly replayed: number;
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}

export const operateParked: RunCommand = async (given, context) =>
  withAppDatabase(given.text("app"), context.cwd, (app) => {
    const { parked } = memberOf<{ parked: ParkedWork }>(app, "durable", "durable", "enableDurable");
    const action = given.argument("action") ?? "list";
    if (action === "list") return list(parked, given);
    if (action === "inspect") return inspect(parked, idOf(given));
    if (action === "replay") return replay(parked, given, context);
    if (action === "discard") return discard(parked, given);
    throw new UsageError(`parked has no action ${JSON.stringify(action)}: list, inspect, replay or discard`);
  });

const filterOf = (given: CommandInput): object => ({
  source: given.text("source"),
  name: given.text("name"),
  state: given.text("state"),
  limit: given.number("limit"),
});

const list = async (parked: ParkedWork, given: CommandInput): Promise<Outcome> => {
  const { items, next } = await parked.list(filterOf(given));
  const rows = items.map(({ id, name, attempts, lastAt, errorClass, errorMessage }) => [
    styled("bold", id),
    name,
    String(attempts),
    new Date(lastAt).toISOString(),
    `${errorClass}: ${errorMessage}`,
  ]);
  return {
    ok: true,
    data: { items, next },
    lines: [
      ...(items.length === 0 ? [] : table(["ID", "NAME", "ATTEMPTS", "LAST FAILURE", "ERROR"], rows)),
      styled("dim", `${items.length} items${next === null ? "" : ", and more"}`),
    ],
  };
};

const idOf = (given: CommandInput): string => {
  const id = given.argument("id");
  if (id === undefined) throw new UsageError(`parked ${given.argument("action")} needs an id`);
  return id;
};

const unknownItem = (id: string): FrameworkError =>
  new FrameworkError("CLI_NO_ITEM", `there is no item ${id}`);

const inspect = async (parked: ParkedWork, id: string): Promise<Outcome> => {
  const item = await parked.inspect(id);
  if (item === null) throw unknownItem(id);
  return { ok: true, data: item, lines: fieldLines(item) };
};

/**
 * Returns the ids of the selected items, from all pages unless there is a limit. All ids are read before the replay: an item that fails again is not
 * replayed twice.
 */
const selectedIds = async (parked: ParkedWork, given: CommandInput): Promise<string[]> => {
  const ids: string[] = [];
  let after: string | null | undefined;
  do {
    const { items, next } = await parked.list({ ...filterOf(given), after });
    ids.push(...items.map((item) => item.id));
    after = given.number("limit") === undefined ? next : null;
  } while (after !== null);
  return ids;
};

/** Items per call; progress is shown between calls. */
const CHUNK = 50;

const replay = async (parked: ParkedWork, given: CommandInput, { progress }: Context): Promise<Outcome> => {
  const id = given.argument("id");
  const ids = id === undefined ? await selectedIds(parked, given) : [id];
  const perSecond = given.number("per-second");
  const failed: ReplayResult["failed"][number][] = [];
  let replayed = 0;
  for (let at = 0; at < ids.length; at += CHUNK) {
    progress.show(at / ids.length, `${at} of ${ids.length} items`);
    const chunk = await parked.replay(ids.slice(at, at + CHUNK), { limit: CHUNK, perSecond });
    replayed += chunk.replayed;
    failed.push(...chunk.failed);
  }
  if (id !== undefined && replayed === 0 && failed.length === 0) throw unknownItem(id);
  return {
    ok: failed.length === 0,
    data: { replayed, failed },
    lines: [
      replayed === 1 ? "1 item was returned to its queue" : `${replayed} items were returned to their queues`,
      ...failed.map((item) => styled("red", `${item.id} is still parked: ${item.reason}`)),
    ],
  };
};

const discard = async (parked: ParkedWork, given: CommandInput): Promise<Outcome> => {
  const id = idOf(given);
  const note = given.text("note");
  if (note === undefined) throw new UsageError("parked discard needs --note: why the item is discarded");
  const discarded = await parked.discard([id], { note });
  if (discarded === 0) throw unknownItem(id);
  return { ok: true, data: { discarded }, lines: [`item ${id} was discarded`] };
};
