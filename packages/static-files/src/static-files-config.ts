import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  optional,
  ResponseHeaders,
  text,
} from "@framework/core/feature";

/** What `enableStaticFiles` may be told. */
export interface StaticFilesConfig {
  /** Folder whose files are served; required. What is not absolute counts from the working directory. */
  readonly directory: string;
  /** Path under which they are served; `/` for the whole site. @default "/static" */
  readonly prefix: string;
  /** File that a request for a folder is answered with. @default "index.html" */
  readonly indexFile: string;
  /** Seconds that clients may keep a file, as `Cache-Control: max-age`. @default 3600 */
  readonly cacheMaxAge: number;
  /** Whether files have an `ETag`. @default true */
  readonly etag: boolean;
  /** Whether files have a `Last-Modified`. @default true */
  readonly lastModified: boolean;
  /** The whole `Cache-Control`, in place of `cacheMaxAge`. @default none */
  readonly cacheControl: string | undefined;
  /** Whether `name.br` and `name.gz` are sent for `name` to clients that take them. @default true */
  readonly precompressed: boolean;
  /** Whether names that begin with a dot are served. @default false */
  readonly dotFiles: boolean;
  /** Whether a folder without index file is answered with a list of what it holds. @default false */
  readonly directoryListing: boolean;
  /** Further fields of every file. @default {} */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds that clients may keep files with an extension, in place of `cacheMaxAge` and `cacheControl`, as `{ html: 0 }`. @default {} */
  readonly extensions: Readonly<Record<string, number>>;
}

/** The record as a program writes it: `directory`, and any of the other fields. */
export type StaticFilesInput = ConfigInput<StaticFilesConfig> & { readonly directory: string };

/** Fields that say what is sent: only the files themselves decide on them. */
const ownFields: ReadonlySet<string> = new Set([
  "accept-ranges",
  "cache-control",
  "connection",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "date",
  "etag",
  "last-modified",
  "transfer-encoding",
  "vary",
]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const canBeHeaders = (value: unknown): boolean => {
  if (!isRecord(value) || !Object.values(value).every((text) => typeof text === "string")) return false;
  try {
    const headers = new ResponseHeaders(value as Record<string, string>);
    return [...headers.keys()].every((name) => !ownFields.has(name));
  } catch {
    return false; // the rule says what is wanted
  }
};

const canBeValue = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && canBeHeaders({ "x-value": value });

/** Text that every file system takes for one name. */
const isName = (value: unknown): boolean =>
  typeof value === "string" && /^[^/\\:\p{Cc}]{1,255}$/u.test(value) && value !== "." && value !== "..";

const isPrefix = (value: unknown): boolean =>
  value === "/" ||
  (typeof value === "string" &&
    /^(?:\/[^/\\{}*?#%\p{Cc}]+)+$/u.test(value) &&
    !value.split("/").some((segment) => segment === "." || segment === ".."));

const isMaxAge = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isExtensions = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(([name, secs]) => /^\.?[^./\\]{1,32}$/.test(name) && isMaxAge(secs));

export const StaticFilesConfig: ConfigRecord<StaticFilesConfig> = configRecord("StaticFilesConfig", {
  directory: text(""),
  prefix: checked("/static", "a path such as /static, without / at its end and without patterns", isPrefix),
  indexFile: checked("index.html", "the name of a file", isName),
  cacheMaxAge: integer(3600),
  etag: flag(true),
  lastModified: flag(true),
  cacheControl: optional<string>({
    problem: (value) => (canBeValue(value) ? null : "must be text that may stand in a field"),
  }),
  precompressed: flag(true),
  dotFiles: flag(false),
  directoryListing: flag(false),
  headers: checked<Readonly<Record<string, string>>>(
    {},
    "fields with their values, none of which the files decide on themselves",
    canBeHeaders,
  ),
  extensions: checked<Readonly<Record<string, number>>>(
    {},
    "whole seconds by extension, such as { html: 0 }",
    isExtensions,
  ),
});
