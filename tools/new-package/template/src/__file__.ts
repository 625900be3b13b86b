import {
  checked,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  type Feature,
  mapAwaitable,
} from "@framework/core/feature";
import type { HttpRequest, Middleware, Response } from "@framework/core";

/** Options of `enable__Feature__`. */
export interface __Feature__Config {
  /** Value of the `__Header__` field: 1 to 100 letters, digits, `.`, `_` or `-`. @default "on" */
  readonly value: string;
}

export const __Feature__Config: ConfigRecord<__Feature__Config> = configRecord("__Feature__Config", {
  value: checked(
    "on",
    "1 to 100 letters, digits, dots, underscores or dashes",
    (value) => typeof value === "string" && /^[\w.-]{1,100}$/.test(value),
  ),
});

/** The methods that the feature adds to an app. */
export interface __Feature__ {
  /** Adds the `__Header__` field to every reply. @throws CORE_BAD_CONFIG at start, together with all other problems */
  enable__Feature__(config?: ConfigInput<__Feature__Config>): this;
}

/**
 * Adds an `__Header__` field to every reply, including error replies.
 *
 * @example
 * const app = new (App.with(__feature__))().enable__Feature__({ value: "yes" });
 */
export const __feature__: Feature<__Feature__> = {
  name: "__name__",
  install: (host) => ({
    enable__Feature__(config) {
      host.http.use("headers", addField(host.configure(__Feature__Config, config)));
      return this;
    },
  }),
};

const addField = ({ value }: __Feature__Config): Middleware<HttpRequest, Response> =>
  function __feature__(request, next) {
    return mapAwaitable(next(request), (response) => {
      response.setHeader("__Header__", value);
      return response;
    });
  };
