import type { FeatureOptions } from "./feature-options.ts";
import type { RouteInfo } from "./route.ts";

/** What is wrong with an option of a route, by the feature that reads it; `null` when nothing is. */
export type OptionCheck<Name extends keyof FeatureOptions> = (
  value: Exclude<FeatureOptions[Name], undefined>,
  route: Omit<RouteInfo, "auth">,
) => string | null;

/** Checks of the features that are on, by the option they read. */
export type OptionChecks = { readonly [Name in keyof FeatureOptions]?: OptionCheck<Name> };
