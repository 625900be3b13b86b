// More than 250 lines, because every test of core's documentation reads the same two texts.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import * as core from "./index.ts";
import * as featureEntry from "./feature.ts";
import * as httpEntry from "./http.ts";
import {
  App,
  ClusterConfig,
  HttpRequest,
  LimitsConfig,
  MultipartLimits,
  Response,
  TimeoutConfig,
} from "./index.ts";
import { MAX_OPEN_SCOPES } from "./dependencies/scope-errors.ts";
import { MAX_BACKGROUND_TASKS } from "./lifecycle/background-tasks.ts";
import { START_TASK_SECS, STOP_TASK_SECS } from "./lifecycle/tasks.ts";
import { parseJson } from "./body/json-body.ts";
import { parseCookies } from "./http/cookies.ts";
import { Query } from "./request/query.ts";
import { parseUrlencodedForm } from "./body/urlencoded-form.ts";
import { canonicalise, MAX_SEGMENTS } from "./routing/canonical-path.ts";
import { flagNames, parseFlags } from "./run/settings/flags.ts";
import { MAX_WAITING } from "./run/workers/dispatcher.ts";
import { MAX_QUEUE } from "./run/stop/shutdown.ts";
import { MAX_EXTENSION_BYTES } from "./transport/node/node-message-reader.ts";
import { HALF_CLOSED_IDLE_MS } from "./transport/hub/half-close-watch.ts";
import { resolveSettings } from "./run/settings/settings.ts";
import { MAX_KEY_LENGTH, MAX_VALUE_BYTES } from "./shared-state/values/state-bounds.ts";
import { innerStages, outerStages } from "./feature/stages.ts";
import { MAX_ISSUES } from "./validation/validation-issues.ts";

const sources = import.meta.dirname;
const read = (path: string): string => readFileSync(join(sources, path), "utf8");
const pages = ["../README.md", ...globSync("../docs/*.md", { cwd: sources }).sort()];
/** The README and its pages as one text; each page title starts a section. */
const readme = pages.map(read).join("\n").replaceAll(/^# /gm, "## ");
const security = read("../../../SECURITY.md");

/** The text of a section, up to the next heading of the same level. */
const section = (text: string, title: string): string => {
  const [, found] = text.split(`\n## ${title}\n`);
  if (found === undefined) throw new Error(`there is no section "${title}"`);
  return found.split("\n## ")[0] ?? "";
};

/** Returns the cells of every table row except the header and separator rows. */
const rows = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    )
    .filter((_cells, index, all) => !isRule(all[index]) && !isRule(all[index + 1]));

const isRule = (cells: readonly string[] | undefined): boolean => /^:?-+:?$/.test(cells?.[0] ?? "");

/** The text between backticks. */
const spans = (cell: string | undefined): string[] =>
  [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);

/** The first word of a code span: `getAll` of `getAll(name)`. */
const word = (span: string): string => /^[\w$]+/.exec(span)?.[0] ?? span;

/** Public members of a class in a source file; all of them are indented by two blanks. */
const publicMembers = (path: string, name: string): string[] => {
  const [, body = ""] = read(path).split(new RegExp(`^export class ${name}\\b`, "m"));
  const [own = ""] = body.split("\n}\n");
  const found = own.matchAll(
    /^ {2}(?:static |readonly |override |async |declare |get |set )*([a-z]\w*)(?:<[^(]*>)?[(:?]/gm,
  );
  return [...new Set(Array.from(found, ([, member = ""]) => member))].filter(
    (member) => member !== "constructor",
  );
};

const request = async (): Promise<HttpRequest> => {
  const { promise, resolve } = Promise.withResolvers<HttpRequest>();
  const app = new App().use((seen, next) => {
    resolve(seen);
    return next(seen);
  });
  await app.fetch(new Request("http://localhost/"));
  return promise;
};

test("the table of codes lists exactly the codes in the sources", () => {
  const thrown = globSync("**/*.ts", { cwd: sources })
    .filter((path) => !/\.test(-d)?\.ts$|(^|[/\\])testing[/\\]|shared-state[/\\]contract/.test(path))
    .flatMap((path) => [...read(path).matchAll(/"(CORE_[A-Z_]+)"/g)].map(([, code = ""]) => code));
  const listed = rows(section(readme, "Error codes")).map(([code]) => spans(code)[0]);
  expect(listed).toEqual([...new Set(thrown)].sort());
});

test("the README names every exported value", () => {
  const missing = [core, featureEntry, httpEntry]
    .flatMap(Object.keys)
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));
  expect(missing).toEqual([]);
});

test("the request's table lists exactly its members", async () => {
  const listed = rows(section(readme, "Request")).flatMap(([members]) => spans(members).map(word));
  expect(listed.sort()).toEqual(publicMembers("request/http-request.ts", "HttpRequest").sort());
  const one = await request();
  expect(listed.filter((member) => !(member in one))).toEqual([]);
});

test("the response's tables list exactly its factories and members", () => {
  const first = rows(section(readme, "Response")).map(([cell]) => spans(cell));
  const factories = first.flat().flatMap((span) => /^(?:await )?Response\.(\w+)\(/.exec(span)?.[1] ?? []);
  const members = first
    .flat()
    .filter((span) => !span.includes("Response."))
    .map(word);
  expect(factories.filter((name) => !(name in Response))).toEqual([]);
  expect(members.filter((name) => !(name in Response.prototype || name in new Response()))).toEqual([]);
  expect([...new Set([...factories, ...members])].sort()).toEqual(
    publicMembers("response/response.ts", "Response").sort(),
  );
});

test("the README names every method of the app", () => {
  const missing = publicMembers("app.ts", "App").filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));
  expect(missing).toEqual([]);
});

test("the host's tables list exactly the members of the host", () => {
  const tables = section(readme, "Writing a feature")
    .split("| `host.")
    .slice(1)
    .map((table) => table.split("\n\n", 1)[0] ?? ""); // tables of arguments follow
  const listed = tables.flatMap((table) => {
    const group = word(`${table.split("`")[0]}`.replace(".", ""));
    return rows(`| \`host.${table}`).flatMap(([cell]) =>
      spans(cell).map((span) => [group, word(span)].join(".")),
    );
  });
  const interfaces = {
    "": "Host",
    http: "HostHttp",
    life: "HostLife",
    insight: "HostInsight",
    state: "HostState",
    entries: "HostEntries",
  };
  const wanted = Object.entries(interfaces).flatMap(([group, name]) => {
    const [, body = ""] = read("feature/host.ts").split(new RegExp(`export interface ${name}(?:<.*>)? \\{`));
    const found = body.split("\n}")[0]?.matchAll(/^ {2}(?:readonly )?(\w+)(?:<.*?>)?[(:]/gm) ?? [];
    return Array.from(found, ([, member = ""]) => [group, member].join("."));
  });
  const groups = Object.keys(interfaces).map((group) => `.${group}`);
  expect(listed.sort()).toEqual(wanted.filter((member) => !groups.includes(member)).sort());
});

test("the documentation lists the stages in their order", () => {
  const text = section(readme, "Stages").replaceAll(/\s+/g, " ");
  for (const stages of [outerStages, innerStages])
    expect(text).toContain(stages.map((stage) => `\`${stage}\``).join(", "));
});

test("the error classes have the documented status", () => {
  const table = rows(section(readme, "Errors"));
  for (const [cell, status] of table) {
    const name = word(spans(cell)[0] ?? "");
    const Class = (core as unknown as Record<string, new (...args: unknown[]) => { status: number }>)[name];
    expect([name, typeof Class]).toEqual([name, "function"]);
    if (Class === undefined || status === "any") continue;
    const args = name === "ValidationError" ? [[]] : name === "MethodNotAllowedError" ? ["GET", []] : [1];
    expect([name, new Class(...args).status]).toEqual([name, Number(status)]);
  }
});

const settingsOf = (options: object) => resolveSettings(options, { flags: {}, environment: {}, cpus: 4 });

test("run accepts every option in its table, and the table lists every flag", () => {
  const [options] = section(readme, "Running").split("`--help` and `--version`");
  const table = rows(options ?? "");
  for (const [option] of table) {
    const [name = ""] = spans(option);
    const known = settingsOf({ [name]: undefined }).problems;
    expect([name, known]).toEqual([name, []]);
  }
  expect(settingsOf({ nothing: 1 }).problems).toHaveLength(1);
  const flags = table.flatMap(([, flag]) => spans(flag));
  expect([...flags, "--check", "--help", "--version"].sort()).toEqual([...flagNames].sort());
});

test("run has the defaults in its table", () => {
  const table = new Map(
    rows(section(readme, "Running")).map((cells) => [spans(cells[0])[0], cells[3] ?? ""]),
  );
  const { settings } = settingsOf({});
  for (const name of ["host", "port", "env", "reload"] as const) {
    expect([name, spans(table.get(name))[0]]).toEqual([name, JSON.stringify(settings[name])]);
  }
  expect([settings.debug, settings.workers, settings.logs]).toEqual([true, 1, true]);
  const { settings: production } = settingsOf({ env: "production" });
  expect([production.debug, production.workers, production.logs]).toEqual([false, 4, false]);
});

/** The names of the interface that core implements. */
const interfaceNames =
  `App state get post put patch delete options head route tags summary description guards Blueprint register_blueprint
  add_guard register_singleton Depends use on_event exception_handler ValueError run host port debug env workers reload logs --host --port --env
  --debug --reload --workers --no-logs method params query json context app request_id Response Response.json Response.no_content`.split(
    /\s+/,
  );

/** Returns the name in the interface's column, without decorators and arguments. */
const bareName = (span: string): string => span.replace(/^@?app\.(?=\w)/, "").replace(/\(.*$/, "");

test("the table of names lists every name of the interface that core implements", () => {
  const [owned = ""] = section(readme, "Names of the interface").split("These names belong");
  const listed = rows(owned).flatMap(([cell]) => spans(cell).map(bareName));
  expect(interfaceNames.filter((name) => !listed.includes(name))).toEqual([]);
  expect(spans(owned).filter((span) => /on_event\("(startup|shutdown)"\)/.test(span))).toHaveLength(2);
});

test("every counterpart of an interface name in the table exists", async () => {
  const [owned = ""] = section(readme, "Names of the interface").split("These names belong");
  const app = new App();
  const one = await request();
  const exists = (span: string): boolean => {
    const [head = "", member = ""] = span.replace(/^new /, "").split(/[.(]/);
    if (span.startsWith("run({"))
      return settingsOf({ [/\w+(?= \})/.exec(span)?.[0] ?? ""]: undefined }).problems.length === 0;
    if (span.startsWith("--")) return flagNames.includes(span);
    if (span.startsWith("app.")) return member in app;
    if (span.startsWith("request.")) return member in one;
    if (span.startsWith("Response.")) return member in Response;
    return head in core || head in featureEntry;
  };
  const given = rows(owned).map(([, cell]) => spans(cell)[0] ?? "");
  expect(given.filter((span) => span !== "{ error, detail, status }" && !exists(span))).toEqual([]);
  expect(given.length).toBeGreaterThan(40);
});

test("an error has the three members in the table of names", async () => {
  const reply = await new App().fetch(new Request("http://localhost/nowhere"));
  expect(Object.keys(Object(await reply.json())).slice(0, 3)).toEqual(["error", "detail", "status"]);
});

test("run accepts the flags of the interface", () => {
  const given = [
    "--host",
    "h",
    "--port",
    "1",
    "--env",
    "production",
    "--debug",
    "--reload",
    "--workers",
    "2",
    "--no-logs",
  ];
  const { flags, problems } = parseFlags(given);
  expect(problems).toEqual([]);
  expect(flags).toEqual({
    host: "h",
    port: 1,
    env: "production",
    debug: true,
    reload: true,
    workers: 2,
    logs: false,
  });
});

const limits = rows(section(security, "Limits")).map(([entry = "", value = ""]) => ({
  entry,
  numbers: [...value.matchAll(/\d+(?:\.\d+)?/g)].map(([text]) => Number(text)),
}));

test("the limits of records in SECURITY.md equal the records' defaults", () => {
  const listed = limits.flatMap(({ entry, numbers }) => {
    const [, name] = /`((?:\w+)(?:Config|Limits)\.\w+)`/.exec(entry) ?? [];
    return name === undefined ? [] : [[name, numbers[0]]];
  });
  const defaults = [LimitsConfig, TimeoutConfig, ClusterConfig, MultipartLimits].flatMap((record) =>
    Object.entries(record.of())
      .filter(([, value]) => typeof value !== "string") // a choice, not a limit
      .map(([field, value]) => [`${record.name}.${field}`, value]),
  );
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(defaults));
  expect(listed).toHaveLength(defaults.length);
});

const limitOf = (entry: string): number[] => {
  const found = limits.find((limit) => limit.entry.startsWith(entry));
  if (found === undefined) throw new Error(`SECURITY.md does not list "${entry}"`);
  return found.numbers;
};

test("the fixed limits in SECURITY.md equal the limits in the sources", () => {
  expect(limitOf("Chunk extensions")).toEqual([MAX_EXTENSION_BYTES]);
  expect(limitOf("A stream that is silent")).toEqual([HALF_CLOSED_IDLE_MS / 1000]);
  expect(limitOf("Connections waiting")).toEqual([MAX_QUEUE, MAX_WAITING]);
  expect(limitOf("Path")).toEqual([8192, MAX_SEGMENTS]);
  expect(limitOf("Issues in a 422")).toEqual([MAX_ISSUES]);
  expect(limitOf("Background tasks waiting")).toEqual([MAX_BACKGROUND_TASKS]);
  expect(limitOf("Open invocations of features")).toEqual([MAX_OPEN_SCOPES]);
  expect(limitOf("Start task")).toEqual([START_TASK_SECS]);
  expect(limitOf("Stop task")).toEqual([STOP_TASK_SECS]);
  expect(limitOf("Keys of the shared state")).toEqual([100_000, MAX_KEY_LENGTH]);
  expect(limitOf("Value in the shared state")).toEqual([MAX_VALUE_BYTES]);
});

const times = (count: number | undefined, text: string): string => text.repeat(count ?? 0);
const json = (depth: number | undefined) => new TextEncoder().encode(times(depth, "[") + times(depth, "]"));

test.each([
  ["Path", (size: number) => canonicalise(`/${"a".repeat(size - 1)}`)],
  ["Query", (size: number) => new Query("a=1&".repeat(size)).size],
  ["Form fields", (size: number) => parseUrlencodedForm(new TextEncoder().encode("a=1&".repeat(size)))],
  ["JSON nesting", (size: number) => parseJson(json(size))],
  [
    "Header lines of a reply",
    (size: number) => fill(size, (reply, index) => reply.appendHeader("x", `${index}`)),
  ],
  ["Cookies of a reply", (size: number) => fill(size, (reply, index) => reply.setCookie(`c${index}`, "v"))],
])("%s: accepts the limit and rejects one more", (entry, use) => {
  const [limit = 0] = limitOf(entry);
  expect(() => use(limit)).not.toThrow();
  expect(() => use(limit + 1)).toThrow(String(limit)); // the message names it
});

const fill = (count: number, add: (reply: Response, index: number) => void): void => {
  const reply = new Response();
  for (let index = 0; index < count; index++) add(reply, index);
};

test("cookies beyond their limits are ignored", () => {
  const [count = 0, bytes = 0] = limitOf("Cookies read");
  const header = Array.from({ length: count + 5 }, (_none, index) => `c${index}=v`).join("; ");
  expect(parseCookies(header).size).toBe(count);
  expect(parseCookies(`a=${"v".repeat(bytes - 2)}`).size).toBe(1);
  expect(parseCookies(`a=${"v".repeat(bytes - 1)}`).size).toBe(0);
});
