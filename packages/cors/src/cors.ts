import {
  explainedBy,
  type ConfigInput,
  type Feature,
  isPlainObject,
  mapOutput,
  OriginAllowed,
  waitsOnce,
} from "@framework/core/feature";
import type { HttpRequest, Middleware, Response } from "@framework/core";
import { withReasons } from "./cors-reasons.ts";
import { authFields } from "./auth-fields.ts";
import { CorsConfig, credentialProblems } from "./cors-config.ts";
import { type CorsFields, corsFields, isPreflight } from "./cors-fields.ts";

/** All options except the origins, which are the first argument. */
export type CorsOptions = ConfigInput<Omit<CorsConfig, "origins">>;

/** The methods that the feature adds to an app. */
export interface Cors {
  /**
   * Lets pages of other origins call the app: handles preflights on any path, and adds the CORS fields to every other reply.
   *
   * @param origins the origins, one or a list, or a whole configuration. @default every origin
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableCors(origins?: string | readonly string[], options?: CorsOptions): this;
  enableCors(config: ConfigInput<CorsConfig>): this;
}

/**
 * Adds cross-origin resource sharing to an app (Fetch standard, "CORS protocol").
 *
 * @example
 * const app = new (App.with(cors))().enableCors(["https://app.example"], { credentials: true });
 */
export const cors: Feature<Cors> = {
  name: "cors",
  install: (host) => ({
    enableCors(given?: string | readonly string[] | ConfigInput<CorsConfig>, options: CorsOptions = {}) {
      if (isPlainObject(given) && isPlainObject(options) && Object.keys(options).length > 0)
        host.problem({ code: "CORE_BAD_CONFIG", message: TWO_CONFIGURATIONS });
      const config = host.configure(CorsConfig, toInput(given, options));
      for (const message of credentialProblems(config)) host.problem({ code: "CORE_BAD_CONFIG", message });
      let fields = corsFields(config, []);
      host.life.onStart({
        name: "cors",
        run() {
          const used = host.http
            .routes()
            .flatMap((route) => [...host.http.usedFields(route), ...authFields(route)]);
          fields = corsFields(config, used);
        },
      });
      const sharing = shareResources(config, () => fields);
      const { reasons } = host.insight;
      host.http.use("headers", explainedBy(waitsOnce(sharing), withReasons(sharing, config, reasons)));
      return this;
    },
  }),
};

const TWO_CONFIGURATIONS =
  "enableCors takes origins and options, or one configuration: move the options of the second argument into the first";

const toInput = (
  given: string | readonly string[] | ConfigInput<CorsConfig> | undefined,
  options: CorsOptions,
): ConfigInput<CorsConfig> => {
  if (given === undefined || !isPlainObject(options)) return options; // the record rejects anything but an object
  if (typeof given === "string") return { ...options, origins: [given] };
  return Array.isArray(given) ? { ...options, origins: given } : (given as ConfigInput<CorsConfig>);
};

/**
 * Whether `OriginAllowed` may be set for a request. A WebSocket handshake and a GET from another site carry cookies without a preflight, so they need a listed
 * origin, not `*`. A handshake also needs `credentials`, because the page can read its connection. Browsers send no Sec-Fetch-Site over plain HTTP.
 */
const mayAllow = (request: HttpRequest, { credentials }: CorsConfig): boolean =>
  request.upgrade !== null
    ? credentials
    : (request.getHeader("sec-fetch-site") ?? "cross-site") === "cross-site";

const shareResources = (config: CorsConfig, current: () => CorsFields): Middleware<HttpRequest, Response> =>
  function shareResources(request, next) {
    const fields = current();
    const origin = request.getHeader("origin");
    if (isPreflight(request, origin)) return fields.preflight(origin);
    if (origin !== null && mayAllow(request, config) && fields.lists(origin))
      request.context.set(OriginAllowed, true);
    return mapOutput(next(request), (response) => fields.allow(origin, response), null);
  };
