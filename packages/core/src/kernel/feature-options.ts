import { FrameworkError } from "../errors/framework-error.ts";
import type { OptionCheck, RouteOption } from "../routes/route-option.ts";
import type { RouteDefinition, RouteOptions } from "../routes/route.ts";
import { reservedOptions } from "./core-options.ts";

/** The feature behind an option, as it is at start. */
interface OptionOwner {
  /** The `enableX` methods of the feature. */
  readonly switches: readonly string[];
  /** Whether one of them was called, or there are none. */
  readonly isOn: boolean;
}

/** One option as its feature declares it. */
export interface DeclaredOption<Value> {
  readonly name: string;
  readonly check: OptionCheck<Value>;
  /** Name of the feature. */
  readonly feature: string;
  readonly readOwner: () => OptionOwner;
}

/** The options of routes that the features of an app own. */
export class FeatureOptions {
  private readonly declared: Map<string, DeclaredOption<never>> = new Map();

  /** @throws CORE_OPTION_TAKEN when core or another feature has an option of that name */
  declare<Value>(option: DeclaredOption<Value>): RouteOption<Value> {
    const { name, feature } = option;
    if (reservedOptions.includes(name) || this.declared.has(name)) {
      const message = `${feature}: routes already have an option named ${name}`;
      throw new FrameworkError("CORE_OPTION_TAKEN", message);
    }
    this.declared.set(name, option);
    return Object.freeze({
      name,
      // Start has passed the value through the check of the feature that says its type.
      of: (route) => (route === null ? undefined : (optionsOf(route)[name] as Value | undefined)),
    } satisfies RouteOption<Value>);
  }

  get names(): readonly string[] {
    return [...this.declared.keys()];
  }

  /** Mistakes of one route in the options of features. `false` is right also while a feature is off, which then leaves the route alone too. */
  problems(route: RouteDefinition): string[] {
    const values = optionsOf(route);
    return [...this.declared.values()].flatMap(({ name, check, readOwner }) => {
      const value = values[name];
      if (value === undefined) return [];
      const { isOn, switches } = readOwner();
      if (!isOn) return value === false ? [] : [uselessOption(name, switches)];
      const message = check(value as never, route); // the check looks at values of any type
      return message === null ? [] : [`${name}: ${message}`];
    });
  }
}

const optionsOf = ({ options }: { readonly options: RouteOptions }): Readonly<Record<string, unknown>> =>
  options as Readonly<Record<string, unknown>>; // features add members that the type of core does not list

const uselessOption = (name: string, switches: readonly string[]): string =>
  `the option "${name}" does nothing without ${switches.join(" or ")}; call it, or remove the option`;
