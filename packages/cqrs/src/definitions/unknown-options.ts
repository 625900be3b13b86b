import { unknownFields } from "@framework/core/feature";
import type { CommandEndpoint } from "./endpoint.ts";

/** The options of an operation, as far as this reads them. */
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

/** Returns the options of a command or query, and of its endpoint, that do not exist: a misspelt guard would admit everybody. */
export const unknownOptions = (
  options: Options,
  names: Readonly<Record<string, true>>,
): readonly string[] => [
  ...unknownFields("it", options, Object.keys(names)),
  ...(typeof options.http === "object"
    ? unknownFields("http", options.http, Object.keys(endpointNames))
    : []),
];
