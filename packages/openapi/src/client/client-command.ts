import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { generateClient } from "./generate-client.ts";

/** Output of the command. */
export interface Output {
  say(line: string): void;
  complain(line: string): void;
}

const USAGE = "usage: framework-client <url or file of an OpenAPI document> <out.ts> [--check]";

/**
 * `framework-client <url-or-file> <out.ts>`: writes a typed client; with `--check` it only checks whether the file is up to date.
 *
 * @returns the exit code: 0, or 1 when the file is out of date, the document cannot be read, or the arguments are invalid
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
    const [source, target, ...others] = positionals;
    if (values.help) return say(output, USAGE);
    if (source === undefined || target === undefined || others.length > 0) throw new Error(USAGE);
    const text = generateClient(JSON.parse(await readSource(source)));
    const present = await readFile(target, "utf8").catch(() => null); // no file yet
    if (present === text) return say(output, `${target} is up to date`);
    if (values.check)
      throw new Error(`${target} is out of date with ${source}; run framework-client without --check`);
    await writeFile(target, text);
    return say(output, `${target} written`);
  } catch (error) {
    output.complain(`framework-client: ${Error.isError(error) ? error.message : String(error)}`);
    return 1;
  }
};

const say = (output: Output, line: string): number => {
  output.say(line);
  return 0;
};

const readSource = async (source: string): Promise<string> => {
  if (!/^https?:\/\//.test(source)) return readFile(source, "utf8");
  const reply = await fetch(source, { signal: AbortSignal.timeout(30_000) });
  if (!reply.ok) throw new Error(`${source} answered ${reply.status}`);
  return reply.text();
};
