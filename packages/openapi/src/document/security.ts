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
    requirements: ({ auth }) =>
      auth
        .map(namesOf)
        .reduce<readonly (readonly string[])[]>(
          (ways, names) => ways.flatMap((way) => names.map((name) => [...way, name])),
          auth.length === 0 ? [] : [[]],
        )
        .map((way) => Object.fromEntries([...new Set(way)].toSorted().map((name) => [name, []]))),
    schemes: () => Object.fromEntries([...schemes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
};
