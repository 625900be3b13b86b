import { unknownFields } from "@framework/core/feature";
import type { CommandEndpoint } from "./endpoint.ts";

/** The options of an operation that this module reads. */
interface Options {
  readonly http?: object;
}

const endpointNames: Readonly<Record<keyof CommandEndpoint, true>> = {
  path: true,
  guards: true,
  name: true,
  routeOptions: true,
  tags: true,
  summary: true,
  description: true,
  errors: true,
  maxBodyBytes: true,
  method: true,
  status: true,
};

/** Reports unknown options of a command or query and its endpoint: otherwise a misspelt `guards` would admit every caller. */
export const unknownOptions = (
  options: Options,
  names: Readonly<Record<string, true>>,
): readonly string[] => [
  ...unknownFields("it", options, Object.keys(names)),
  ...(typeof options.http === "object"
    ? unknownFields("http", options.http, Object.keys(endpointNames))
    : []),
];
