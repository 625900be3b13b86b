import { FrameworkError } from "../errors/framework-error.ts";
import type { OptionCheck, RouteOption } from "../routes/route-option.ts";
import type { RouteDefinition, RouteOptions } from "../routes/route.ts";
import { reservedOptions } from "./core-options.ts";

/** State of an option's feature at start. */
interface OptionOwner {
  /** The feature's `enableX` methods. */
  readonly enableMethods: readonly string[];
  /** Whether the feature is enabled: one of its methods was called, or it has none. */
  readonly isEnabled: boolean;
}

/** A feature's declaration of one option. */
export interface DeclaredOption<Value> {
  readonly name: string;
  readonly check: OptionCheck<Value>;
  /** Name of the feature. */
  readonly feature: string;
  readonly readOwner: () => OptionOwner;
}

/** The route options of an app's features. */
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
      // At start, the feature's check accepted the value, so it has this type.
      of: (route) => (route === null ? undefined : (optionsOf(route)[name] as Value | undefined)),
    } satisfies RouteOption<Value>);
  }

  get names(): readonly string[] {
    return [...this.declared.keys()];
  }

  /** Returns the mistakes in one route's feature options. `false` is valid even while the feature is disabled, since both have the same effect. */
  problems(route: RouteDefinition): string[] {
    const values = optionsOf(route);
    return [...this.declared.values()].flatMap(({ name, check, readOwner }) => {
      const value = values[name];
      if (value === undefined) return [];
      const { isEnabled, enableMethods } = readOwner();
      if (!isEnabled) return value === false ? [] : [uselessOption(name, enableMethods)];
      const message = check(value as never, route); // the check accepts values of any type
      return message === null ? [] : [`${name}: ${message}`];
    });
  }
}

const optionsOf = ({ options }: { readonly options: RouteOptions }): Readonly<Record<string, unknown>> =>
  options as Readonly<Record<string, unknown>>; // features add members that core's type does not list

const uselessOption = (name: string, enableMethods: readonly string[]): string =>
  `the option "${name}" does nothing without ${enableMethods.join(" or ")}; call it, or remove the option`;
