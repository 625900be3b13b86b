// Prints the features of all packages, and the members, route options and blueprint methods of an app made from them, and those of the lazy App.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { App, Blueprint } from "@framework/core";
import type { AnyFeature, Host } from "@framework/core/feature";
import { features } from "./features.ts";

/** `saga-dbos` replaces `saga`: both have `enableSaga`. */
const alternatives = ["saga-dbos"];

interface Manifest {
  readonly exports?: Readonly<Record<string, { readonly "@framework/source"?: string }>>;
}

const isFeature = (value: unknown): value is AnyFeature =>
  typeof value === "object" && value !== null && "install" in value && "name" in value;

/** Every feature that a package of the workspace exports. */
const found = new Set<AnyFeature>();
const packages = join(import.meta.dirname, "../..");
for (const path of globSync("*/package.json", { cwd: packages }).toSorted()) {
  const { exports = {} } = JSON.parse(readFileSync(join(packages, path), "utf8")) as Manifest;
  if (alternatives.includes(dirname(path)) || dirname(path) === "framework") continue;
  for (const { "@framework/source": source } of Object.values(exports)) {
    if (source === undefined || source.includes("testing")) continue; // entry points for tests
    const module: Readonly<Record<string, unknown>> = await import(join(packages, dirname(path), source));
    for (const value of Object.values(module)) if (isFeature(value)) found.add(value);
  }
}

const order = features.map(({ name }) => name);
const rank = ({ name }: AnyFeature): number =>
  order.indexOf(name === "kafka" ? "messaging" : name) + (name === "kafka" ? 0.5 : 0);
const all = [...found].toSorted((one, other) => rank(one) - rank(other));

interface Shape {
  readonly methods: string[];
  readonly values: string[];
  readonly options: string[];
  readonly blueprintMembers: string[];
}

/** Composes features and returns their members. */
const shapeOf = (composed: readonly AnyFeature[]): Shape => {
  const options: string[] = [];
  const recorded = composed.map((feature) => ({
    ...feature,
    install: (host: Host, needs: never) => feature.install(recordOptions(host, options), needs),
  }));
  const withAll: unknown = (App.with as (...given: unknown[]) => unknown)(...recorded);
  const app = Object.entries(Object.getOwnPropertyDescriptors(new (withAll as typeof App)()));
  const blueprint = new (Blueprint.with(...composed))("/x");
  const isMethod = ([, { value }]: (typeof app)[number]): boolean => typeof value === "function";
  return {
    methods: app
      .filter(isMethod)
      .map(([name]) => name)
      .toSorted(),
    values: app
      .filter((entry) => !isMethod(entry))
      .map(([name]) => name)
      .toSorted(),
    options: options.toSorted(),
    blueprintMembers: Object.getOwnPropertyNames(blueprint).toSorted(),
  };
};

const recordOptions = (host: Host, options: string[]): Host => {
  const routeOption = (name: string, check: never): unknown => {
    options.push(name);
    return host.http.routeOption(name as never, check);
  };
  const http: unknown = Object.create(host.http, { routeOption: { value: routeOption } });
  return Object.create(host, { http: { value: http } }) as Host;
};

/** Features that depend on others, with the `App.with` call that the error shows. */
const dependent = (): Readonly<Record<string, string>> => {
  const withAll = App.with as unknown as (...given: readonly AnyFeature[]) => typeof App;
  return Object.fromEntries(
    all.flatMap((feature) => {
      try {
        new (withAll.call(App, feature))();
        return [];
      } catch (error) {
        return [[feature.name, String((error as Error).message).replace(/^.* extends (.*) {}$/, "$1")]];
      }
    }),
  );
};

console.log(
  JSON.stringify({
    dependent: dependent(),
    found: all.map(({ name }) => name),
    missing: all.filter((feature) => rank(feature) < 0).map(({ name }) => name),
    eager: shapeOf(all.filter((feature) => rank(feature) >= 0)),
    lazy: shapeOf(features),
  }),
);
