import type { AppSettings, RouteInfo } from "@framework/core";
import type { AddsRouteOptions, ConfigInput, Feature, Host, RouteOption } from "@framework/core/feature";
import { createDocument } from "./document/document.ts";
import { withJsonSchemas } from "./document/schema-libraries.ts";
import { OpenapiConfig } from "./openapi-config.ts";
import { bundleReader } from "./pages/bundle.ts";
import { type CachedFile, sendFile, textFile } from "./pages/cached-file.ts";
import { bundlePath, createPage, type PageKind } from "./pages/page.ts";
import { redocPage, swaggerPage } from "./pages/page-kinds.ts";

/** Options of routes that the feature adds. */
export interface OpenapiRouteOptions {
  /** Whether the document omits this route. @default false */
  readonly hidden?: boolean;
}

/** The methods that the feature adds to an app. */
export interface Openapi extends AddsRouteOptions<OpenapiRouteOptions> {
  /**
   * Serves an OpenAPI 3.1 document of every route that is neither `hidden` nor added by a feature, and two pages that show it.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors; OPENAPI_NO_JSON_SCHEMA at start, for a schema that the document cannot show
   */
  enableOpenapi(config?: ConfigInput<OpenapiConfig>): this;
}

/**
 * Adds an OpenAPI 3.1 document to an app, generated once at start from its routes, with Swagger UI and Redoc, which the app itself serves.
 *
 * @example
 * const app = new (App.with(openapi))().enableOpenapi({ title: "Books", version: "2.0.0" });
 */
export const openapi: Feature<Openapi> = {
  name: "openapi",
  install: (host) => {
    const hidden = host.http.routeOption("hidden", (value) =>
      typeof value === "boolean" ? null : "must be true or false",
    );
    return {
      enableOpenapi(input) {
        const config = host.configure(OpenapiConfig, input);
        serveDocument(host, config, hidden);
        const linkPath = [config.docsPath, config.redocPath].find((path) => path !== false);
        host.insight.link("docs", linkPath ?? config.path);
        if (config.docsPath !== false) servePage(host, config, config.docsPath, swaggerPage);
        if (config.redocPath !== false) servePage(host, config, config.redocPath, redocPage);
        return this;
      },
    };
  },
};

/** Rate limits, circuit breakers and caches do not apply to the documentation. */
const exempt = ["limits"] as const;

const serveDocument = (host: Host, config: OpenapiConfig, hidden: RouteOption<boolean>): void => {
  let file: CachedFile = textFile("", "application/json"); // never sent: set at start
  host.life.onStart({
    name: "openapi",
    run: async (settings) => {
      const visibleRoutes = host.http
        .routes()
        .filter((route) => route.addedBy === null && hidden.of(route) !== true);
      const routes = await withJsonSchemas(visibleRoutes, config.jsonSchema);
      file = documentFile({ host, config, routes }, settings);
    },
  });
  host.http.route("GET", config.path, (request) => sendFile(request, file), {
    guards: config.guards,
    exempt,
  });
};

interface DocumentInput {
  readonly host: Host;
  readonly config: OpenapiConfig;
  /** The routes in the document. */
  readonly routes: readonly RouteInfo[];
}

const documentFile = ({ host, config, routes }: DocumentInput, { log }: AppSettings): CachedFile => {
  const document = createDocument({
    config,
    routes,
    impliedReplies: (route) => host.http.impliedReplies(route),
    usedFields: (route) => host.http.usedFields(route),
    warn: (message) => log.warn(message),
  });
  return textFile(JSON.stringify(document), "application/json", { headers: { "cache-control": "no-cache" } });
};

const servePage = (host: Host, config: OpenapiConfig, path: string, kind: PageKind): void => {
  const { title, path: documentPath, guards, servers } = config;
  const page = createPage({ title, path, documentPath, origins: originsOf(servers) }, kind);
  const fileOf = bundleReader(kind.bundle);
  host.http.route("GET", path, (request) => sendFile(request, page), { guards, exempt });
  for (const file of kind.bundle.files) {
    const serve = async (request: Parameters<typeof sendFile>[0]) => sendFile(request, await fileOf(file));
    host.http.route("GET", bundlePath(path, kind.bundle, file), serve, { guards, exempt });
  }
};

/** Returns the origins of the configured servers, which a page may call; for a URL without a scheme only the host, because the page's scheme applies. */
const originsOf = (servers: OpenapiConfig["servers"]): string[] => [
  ...new Set(
    servers.flatMap(({ url }) => {
      if (url.startsWith("//")) return new URL(url, "http://localhost").host;
      return URL.canParse(url) ? new URL(url).origin : [];
    }),
  ),
];
