import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { messageOf } from "@framework/core/feature";
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionOptions,
  type IntrospectionQuery,
  Source,
} from "graphql";
import { generateOperations } from "./generate-operations.ts";

/** Output of the command. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

const USAGE =
  "usage: framework-graphql <url of an endpoint, or file with SDL> <out.ts> <.graphql files or patterns…> [--check]";

/**
 * `framework-graphql <url-or-file> <out.ts> <files…>`: writes types for the operations in the files; with `--check` it only checks whether the module is
 * up to date.
 *
 * @returns the exit code: 0, or 1 if `--check` finds the module out of date or the command fails, such as for an operation that does not fit the schema
 */
export const runClientCommand = async (args: readonly string[], output: Output): Promise<number> => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const [source, target, ...patterns] = positionals;
    if (values.help) return report(output, USAGE);
    if (source === undefined || target === undefined || patterns.length === 0) throw new Error(USAGE);
    const files = globSync(patterns).toSorted();
    if (files.length === 0) throw new Error(`no file matches ${patterns.join(" ")}`);
    const sources = await Promise.all(
      files.map(async (file) => new Source(await readFile(file, "utf8"), file)),
    );
    const text = generateOperations(await readSchema(source), sources);
    const present = await readFile(target, "utf8").catch(() => null); // a missing file is created; for an unreadable file the write fails
    if (present === text) return report(output, `${target} is up to date`);
    if (values.check) throw new Error(`${target} is out of date; run framework-graphql without --check`);
    await writeFile(target, text);
    return report(output, `${target} written`);
  } catch (error) {
    output.err(`framework-graphql: ${messageOf(error)}`);
    return 1;
  }
};

const report = (output: Output, line: string): number => {
  output.out(line);
  return 0;
};

/** Reads SDL from a file, or introspects an endpoint: with deprecated arguments and `oneOf`, or without if the endpoint refuses that. */
const readSchema = async (source: string): Promise<GraphQLSchema> => {
  if (!/^https?:\/\//i.test(source)) return buildSchema(await readFile(source, "utf8"));
  const full = await introspect(source, { inputValueDeprecation: true, oneOf: true });
  const { data, problem } = full.data == null ? await introspect(source, {}) : full;
  if (data == null) throw new Error(`${source} ${problem}`);
  return buildClientSchema(data);
};

interface IntrospectionReply {
  readonly data?: IntrospectionQuery | null | undefined;
  /** Reason if `data` is missing. */
  readonly problem: string;
}

const introspect = async (url: string, options: IntrospectionOptions): Promise<IntrospectionReply> => {
  const reply = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: getIntrospectionQuery(options) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!reply.ok) return { problem: `responded with ${reply.status}` };
  const { data, errors } = (await reply.json()) as {
    readonly data?: IntrospectionQuery | null;
    readonly errors?: readonly { readonly message: string }[];
  };
  return { data, problem: `has no schema for clients: ${errors?.[0]?.message ?? "no data"}` };
};
