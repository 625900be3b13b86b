import type { RouteInfo } from "@framework/core";
import { guardName } from "@framework/core/feature";
import { loadApp } from "../app/load-app.ts";
import type { RunCommand } from "../frame/command.ts";
import { table } from "../frame/table.ts";
import { type Span, styled } from "../frame/text.ts";

interface ListedRoute {
  readonly method: string;
  readonly path: string;
  /** Guards of the app, its blueprints and the route, outermost first. */
  readonly guards: readonly string[];
  /** Authentications that callers must pass; each with its alternative schemes. */
  readonly auth: readonly string[];
  readonly tags: readonly string[];
  /** The feature that added it; `null` for the program's own routes. */
  readonly feature: string | null;
  readonly summary: string | null;
}

export const listRoutes: RunCommand = async (given, { cwd }) => {
  const app = await loadApp(given.argument("app"), cwd);
  const part = given.text("path") ?? "";
  const method = given.text("method")?.toUpperCase();
  const all = app.routes.map(toListedRoute);
  const matching = all.filter(
    (route) => route.path.includes(part) && (method === undefined || route.method === method),
  );
  const count =
    matching.length === all.length ? `${all.length} routes` : `${matching.length} of ${all.length} routes`;
  return {
    ok: true,
    data: { routes: matching },
    lines: [
      ...table(["METHOD", "PATH", "GUARDS", "TAGS", "FROM"], matching.map(row)),
      "",
      styled("dim", count),
    ],
  };
};

const toListedRoute = ({ method, path, options, guards, auth, tags, addedBy }: RouteInfo): ListedRoute => ({
  method,
  path,
  guards: [...guards, ...(options.guards ?? [])].map(guardName),
  auth: auth.map(({ schemes }) => Object.keys(schemes).join(" or ")),
  tags,
  feature: addedBy,
  summary: options.summary ?? null,
});

const row = ({ method, path, guards, auth, tags, feature }: ListedRoute): readonly Span[] => [
  styled("cyan", method),
  path,
  [...auth, ...guards].join(", ") || styled("dim", "–"),
  tags.join(", ") || styled("dim", "–"),
  feature ?? styled("dim", "app"),
];
