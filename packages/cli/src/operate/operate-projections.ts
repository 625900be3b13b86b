import { memberOf, withAppDatabase } from "../app/operated-app.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { table } from "../frame/table.ts";
import { styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";

/** `app.eventStore.projections`: the members that this command uses. */
interface Projections {
  status(): Promise<readonly ProjectionVersion[]>;
  goLive(name: string, version?: number): Promise<boolean>;
  resume(name: string, version?: number): Promise<number>;
  cancel(name: string, version?: number): Promise<boolean>;
  rebuild(name: string, version?: number): Promise<boolean>;
}

interface ProjectionVersion {
  readonly name: string;
  readonly version: number;
  readonly status: string;
  readonly progress: number;
  readonly lagSecs: number;
  readonly parked: number;
  readonly errors: readonly string[];
}

/** An action with its messages. */
interface Action {
  readonly run: (projections: Projections, name: string, version?: number) => Promise<boolean>;
  readonly done: string;
  readonly refused: string;
}

const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  [
    "go-live",
    {
      run: (projections, name, version) => projections.goLive(name, version),
      done: "is live",
      refused: "is not being built, or has not caught up with the live version",
    },
  ],
  [
    "resume",
    {
      run: async (projections, name, version) => (await projections.resume(name, version)) > 0,
      done: "runs again",
      refused: "has not stopped",
    },
  ],
  [
    "cancel",
    {
      run: (projections, name, version) => projections.cancel(name, version),
      done: "is cancelled, and its tables are dropped",
      refused: "is not being built",
    },
  ],
  [
    "rebuild",
    {
      run: (projections, name, version) => projections.rebuild(name, version),
      done: "is rebuilt from the first event",
      refused: "was not cancelled, or a later version is live",
    },
  ],
]);

export const operateProjections: RunCommand = async (given, { cwd }) =>
  withAppDatabase(given.text("app"), cwd, (app) => {
    const enableCall = "enableEventSourcing";
    const { projections } = memberOf<{ projections: Projections }>(
      app,
      "eventStore",
      "eventSourcing",
      enableCall,
    );
    const word = given.argument("action") ?? "list";
    if (word === "list") return list(projections);
    const action = actions.get(word);
    if (action === undefined)
      throw new UsageError(
        `projections has no action ${JSON.stringify(word)}: list, ${[...actions.keys()].join(", ")}`,
      );
    return act(projections, word, action, given);
  });

const act = async (
  projections: Projections,
  word: string,
  action: Action,
  given: CommandInput,
): Promise<Outcome> => {
  const name = given.argument("projection");
  if (name === undefined) throw new UsageError(`projections ${word} needs the name of a projection`);
  const version = versionOf(given.argument("version"));
  const isDone = await action.run(projections, name, version);
  const label = version === undefined ? name : `${name} ${version}`;
  return {
    ok: isDone,
    data: { name, version: version ?? null, action: word, isDone },
    lines: [isDone ? `${label} ${action.done}` : styled("red", `${label} ${action.refused}`)],
  };
};

const versionOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`the version must be a positive integer, not ${JSON.stringify(text)}`);
};

const list = async (projections: Projections): Promise<Outcome> => {
  const versions = await projections.status();
  const rows = versions.map(({ name, version, status, progress, lagSecs, parked, errors }) => [
    styled("bold", name),
    String(version),
    status,
    `${Math.floor(progress * 100)} %`,
    String(Math.round(lagSecs)),
    String(parked),
    errors.join("; "),
  ]);
  return {
    ok: true,
    data: { projections: versions },
    lines:
      rows.length === 0
        ? ["there are no projections"]
        : table(["PROJECTION", "VERSION", "STATE", "PROGRESS", "LAG S", "PARKED", "ERRORS"], rows),
  };
};
