import type { RouteInfo } from "@framework/core";
import type { SecurityRequirement, SecurityScheme } from "./openapi-document.ts";

/** Security schemes of the document, and the requirements of operations. */
export interface Security {
  /** Returns the alternatives of a route, each of which requires all its schemes; empty for an open route. */
  requirements(route: RouteInfo): readonly SecurityRequirement[];
  /** Returns every scheme that a route requires, sorted by name. */
  schemes(): Readonly<Record<string, SecurityScheme>>;
}

/** Collects security schemes. Equal schemes share a name; a different scheme of the same name is numbered. */
export const createSecurity = (): Security => {
  const schemes = new Map<string, SecurityScheme>();

  const nameOf = (wanted: string, scheme: SecurityScheme): string => {
    const text = JSON.stringify(scheme);
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}${number}`;
      const present = schemes.get(name);
      if (present === undefined) schemes.set(name, scheme);
      if (present === undefined || JSON.stringify(present) === text) return name;
    }
  };

  const namesOf = ({ schemes: own }: RouteInfo["auth"][number]): string[] =>
    Object.entries(own).map(([name, scheme]) => nameOf(name, scheme));

  return {
    requirements({ auth }) {
      const described = auth.map(namesOf).filter((names) => names.length > 0); // an authentication may describe no scheme
      if (described.length === 0) return [];
      return described.reduce(combined, [[]]).map((way) => Object.fromEntries(way.map((name) => [name, []])));
    },
    schemes: () => Object.fromEntries([...schemes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
};

type Ways = readonly (readonly string[])[];

/** Returns every way with every name added, each way once. */
const combined = (ways: Ways, names: readonly string[]): Ways => {
  const all = ways.flatMap((way) => names.map((name) => [...new Set([...way, name])].toSorted()));
  return [...new Map(all.map((way) => [way.join(" "), way])).values()];
};
