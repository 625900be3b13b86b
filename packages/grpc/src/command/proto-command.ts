import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { messageOf } from "@framework/core/feature";
import { isSchemaService, type SchemaService } from "../service/schema-service.ts";
import { protoOf } from "../schema/resolve-schema-service.ts";

/** Output of the command. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

const USAGE = "usage: framework-grpc <module that exports services> [--check]";

/**
 * `framework-grpc <module>`: writes the `.proto` of every exported service that has a `proto`; with `--check` it only checks whether they are up to date.
 *
 * @returns the exit code: 0, or 1 if `--check` finds a file out of date or the command fails, such as for a schema that cannot be mapped
 */
export const runProtoCommand = async (args: readonly string[], output: Output): Promise<number> => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        check: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      output.out(USAGE);
      return 0;
    }
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new Error(USAGE);
    const services = await servicesOf(file);
    let outdated = 0;
    for (const service of services) if (!(await update(service, values.check, output))) outdated++;
    return outdated === 0 ? 0 : 1;
  } catch (error) {
    output.err(`framework-grpc: ${messageOf(error)}`);
    return 1;
  }
};

type RecordedService = SchemaService & { readonly proto: URL };

const servicesOf = async (file: string): Promise<readonly RecordedService[]> => {
  const module = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  const exported = new Set(Object.values(module)); // a service may have two names
  const services = [...exported].filter(
    (value): value is RecordedService => isSchemaService(value) && value.proto !== null,
  );
  if (services.length === 0) throw new Error(`${file} exports no service made by grpcService with \`proto\``);
  checkFiles(services);
  return services;
};

/** @throws an error if two services have the same file: the second would replace the first */
const checkFiles = (services: readonly RecordedService[]): void => {
  const names = new Map<string, string>();
  for (const { name, proto } of services) {
    const path = fileURLToPath(proto);
    const other = names.get(path);
    if (other !== undefined)
      throw new Error(`${other} and ${name} have the same proto ${path}; give each service its own file`);
    names.set(path, name);
  }
};

/** Returns the text of a file, or `null` if there is none. An unreadable file is an error: its field numbers must be kept. */
const presentText = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};

/** Returns whether the file is up to date afterwards. */
const update = async (service: RecordedService, checkOnly: boolean, output: Output): Promise<boolean> => {
  const path = fileURLToPath(service.proto);
  const present = await presentText(path);
  const text = protoOf(service, present);
  if (present === text) {
    output.out(`${path} is up to date`);
    return true;
  }
  if (checkOnly) {
    output.err(`${path} is out of date; run framework-grpc without --check`);
    return false;
  }
  await writeFile(path, text);
  output.out(`${path} written`);
  return true;
};
