import { parseArgs } from "node:util";
import type { TestClient } from "@framework/testing";
import { type Browser, browserOn } from "./browser.test-kit.ts";

/** Status and output of a command. */
export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** A shell with the features that the README uses: curl with one cookie jar, `head`, `grep`, a variable and `$(csrf)`. */
export interface Shell {
  /** Runs a line with curl. @throws for flags that the README does not use */
  curl(line: string): Promise<CommandResult>;
  set(variable: string, value: string): void;
}

/** Creates a shell whose commands reach a service. */
export const shellOn = (client: TestClient): Shell => {
  const variables = new Map<string, string>();
  const jar = browserOn(client);
  const plain: Browser = { cookies: new Map(), request: (...args) => client.request(...args) };
  const expand = (text: string): string =>
    text
      .replaceAll("$(csrf)", () => jar.cookies.get("_csrf") ?? "")
      .replaceAll(/\$([A-Z]+)/g, (_, name: string) => variables.get(name) ?? "");
  return {
    set: (variable, value) => void variables.set(variable, value),
    async curl(line) {
      const [, zeros, command = "", prefix] =
        /^(?:head -c (\d+) \/dev\/zero \| )?(curl .*?)(?: \| grep '\^(\w+)')?$/.exec(line) ?? [];
      const [, ...args] = words(command, expand);
      const { status, output } = await runCurl(args, zeros === undefined ? null : Number(zeros), (usesJar) =>
        usesJar ? jar : plain,
      );
      const lines = output.split("\n").filter((each) => prefix === undefined || each.startsWith(prefix));
      return { status, output: lines.join("\n") };
    },
  };
};

/** Splits a command into words like a shell; variables are expanded in double quotes. */
const words = (command: string, expand: (text: string) => string): string[] =>
  Array.from(command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, single, double, plain = ""]) =>
    double === undefined ? (single ?? plain) : expand(double),
  );

/** Sends the request of a curl command. @param zeros number of zero bytes on its standard input */
const runCurl = async (
  args: readonly string[],
  zeros: number | null,
  browser: (usesJar: boolean) => Browser,
): Promise<CommandResult> => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "string" },
      request: { type: "string", short: "X" },
      silent: { type: "boolean", short: "s" },
      output: { type: "string", short: "o" },
      cookie: { type: "string", short: "b" },
      "cookie-jar": { type: "string", short: "c" },
      "write-out": { type: "string", short: "w" },
      "data-binary": { type: "string" },
      header: { type: "string", short: "H", multiple: true },
    },
  });
  const [target = ""] = positionals;
  const { pathname, search } = new URL(`http://${target}`);
  const method = values.request ?? (values.json === undefined && zeros === null ? "GET" : "POST");
  const ownHeaders = (values.header ?? []).map((line) => line.split(": ") as [name: string, value: string]);
  const defaults =
    values.json === undefined
      ? { accept: "*/*" }
      : { accept: "application/json", "content-type": "application/json" };
  const headers = { ...defaults, ...Object.fromEntries(ownHeaders) };
  const body = zeros === null ? values.json : new Uint8Array(zeros);
  const options = { headers, ...(body !== undefined && { body }) };
  const reply = await browser(values.cookie !== undefined).request(method, pathname + search, options);
  const output = values["write-out"]?.replaceAll(
    /%header\{([\w-]+)\}/g,
    (_, name: string) => reply.headers.get(name) ?? "",
  );
  return { status: reply.status, output: output ?? reply.text };
};
