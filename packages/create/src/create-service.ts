import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { FrameworkError } from "@framework/core";
import { unknownFields } from "@framework/core/feature";
import { serviceFiles } from "./service-files.ts";
import { checkName } from "./service-name.ts";
import { checkFolder } from "./target-folder.ts";
import { type Variant, variants } from "./variant.ts";

/** Options of `createService`. */
export interface CreateServiceOptions {
  /** `full` has everything for production, `minimal` two routes and their test. @default "full" */
  readonly variant?: Variant;
  /** Folder in which the service's folder is created. @default the working directory */
  readonly cwd?: string;
  /** Creates a secret for `.env`: a URL-safe string of at least 32 characters. @default 32 random bytes as base64url */
  readonly createSecret?: () => string;
}

/** A service that was written. */
export interface CreatedService {
  /** Its name, as in package.json. */
  readonly name: string;
  /** The written variant. */
  readonly variant: Variant;
  /** Its folder, absolute. */
  readonly folder: string;
  /** Paths of its files, sorted, relative to the folder. */
  readonly files: readonly string[];
}

/**
 * Writes a new service into a folder of that name; `.` is the working directory, whose name the service gets.
 *
 * @throws CREATE_BAD_NAME, CREATE_NOT_EMPTY, CREATE_USAGE for invalid options, before anything is written
 */
export const createService = (name: string, options: CreateServiceOptions = {}): CreatedService => {
  checkOptions(options);
  const { variant = "full", cwd = process.cwd(), createSecret = randomSecret } = options;
  const ownName = name === "." ? basename(resolve(cwd)) : name;
  checkName(ownName);
  const folder = name === "." ? resolve(cwd) : join(resolve(cwd), name);
  checkFolder(folder);
  const files = serviceFiles(ownName, variant, createSecret);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: "wx", mode: path === ".env" ? 0o600 : 0o666 });
  }
  return { name: ownName, variant, folder, files: [...files.keys()] };
};

const checkOptions = (options: CreateServiceOptions): void => {
  const [problem] = unknownFields("the options object of createService", options, [
    "variant",
    "cwd",
    "createSecret",
  ]);
  if (problem !== undefined) throw new FrameworkError("CREATE_USAGE", problem);
  const { variant } = options;
  if (variant !== undefined && !variants.includes(variant))
    throw new FrameworkError(
      "CREATE_USAGE",
      `variant must be ${variants.join(" or ")}, not ${JSON.stringify(variant)}`,
    );
};

const randomSecret = (): string => randomBytes(32).toString("base64url");
