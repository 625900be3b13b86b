import { type ConfigInput, type Feature, mapAwaitable, OriginAllowed } from "@framework/core/feature";
import type { HttpRequest, Middleware, Response } from "@framework/core";
import { CorsConfig, credentialProblems } from "./cors-config.ts";
import { corsFields, isPreflight } from "./cors-fields.ts";

/** Everything but the origins, which stand before. */
export type CorsOptions = ConfigInput<Omit<CorsConfig, "origins">>;

/** What the feature adds to an app. */
export interface Cors {
  /**
   * Lets pages of other origins call the app: preflights are answered on any path, and every reply says who may read it.
   *
   * @param origins the origins, one or a list, or a whole configuration. @default every origin
   * @throws CORE_BAD_CONFIG at start, with all other mistakes
   */
  enableCors(origins?: string | readonly string[], options?: CorsOptions): this;
  enableCors(config: ConfigInput<CorsConfig>): this;
}

/**
 * Cross-origin resource sharing as browsers do it (Fetch standard, "CORS protocol").
 *
 * @example
 * const app = new (App.with(cors))().enableCors(["https://app.example"], { credentials: true });
 */
export const cors: Feature<Cors> = {
  name: "cors",
  install: (host) => ({
    enableCors(given?: string | readonly string[] | ConfigInput<CorsConfig>, options: CorsOptions = {}) {
      const config = host.configure(CorsConfig, toInput(given, options));
      for (const message of credentialProblems(config)) host.problem({ code: "CORE_BAD_CONFIG", message });
      host.http.use("headers", shareResources(config));
      return this;
    },
  }),
};

const toInput = (
  given: string | readonly string[] | ConfigInput<CorsConfig> | undefined,
  options: CorsOptions,
): ConfigInput<CorsConfig> => {
  if (given === undefined) return options;
  if (typeof given === "string") return { ...options, origins: [given] };
  return Array.isArray(given) ? { ...options, origins: given } : (given as ConfigInput<CorsConfig>);
};

const shareResources = (config: CorsConfig): Middleware<HttpRequest, Response> => {
  const fields = corsFields(config);
  return function shareResources(request, next) {
    const origin = request.getHeader("origin");
    if (isPreflight(request, origin)) return fields.preflight(origin);
    // A handshake for WebSocket carries cookies and has no preflight: `*` is not enough there, only a name is.
    if (request.upgrade !== null && origin !== null && fields.names(origin))
      request.context.set(OriginAllowed, true);
    const reply = next(request);
    return mapAwaitable(reply, (response) => fields.allow(origin, response));
  };
};
