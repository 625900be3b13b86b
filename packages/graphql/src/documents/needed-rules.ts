import * as library from "graphql";
import { specifiedRules, type ValidationRule } from "graphql";

/** Contents of a document, as bits. */
const DIRECTIVES = 1;
const FRAGMENTS = 2;
const VARIABLES = 4;
const ARGUMENTS = 8;
const OPERATIONS = 16;
const SUBSCRIPTIONS = 32;
const INTROSPECTION = 64;
const REPEATS = 128;
const ANYTHING = 256;

const {
  DeferStreamDirectiveLabelRule,
  DeferStreamDirectiveOnRootFieldRule,
  DeferStreamDirectiveOnValidOperationsRule,
  StreamDirectiveOnListFieldRule,
}: Partial<typeof library> = library; // only in graphql 17

/** Rules that can find a mistake only in documents with one of these contents; any other rule applies to all. */
const triggers: ReadonlyMap<ValidationRule | undefined, number> = new Map([
  [library.ExecutableDefinitionsRule, 0], // `checkDocument` refuses all other definitions
  [library.UniqueOperationNamesRule, OPERATIONS],
  [library.LoneAnonymousOperationRule, OPERATIONS],
  [library.SingleFieldSubscriptionsRule, SUBSCRIPTIONS],
  [library.MaxIntrospectionDepthRule, INTROSPECTION],
  [library.KnownTypeNamesRule, FRAGMENTS | VARIABLES],
  [library.FragmentsOnCompositeTypesRule, FRAGMENTS],
  [library.UniqueFragmentNamesRule, FRAGMENTS],
  [library.KnownFragmentNamesRule, FRAGMENTS],
  [library.NoUnusedFragmentsRule, FRAGMENTS],
  [library.PossibleFragmentSpreadsRule, FRAGMENTS],
  [library.NoFragmentCyclesRule, FRAGMENTS],
  [library.OverlappingFieldsCanBeMergedRule, FRAGMENTS | REPEATS],
  [library.VariablesAreInputTypesRule, VARIABLES],
  [library.UniqueVariableNamesRule, VARIABLES],
  [library.NoUndefinedVariablesRule, VARIABLES],
  [library.NoUnusedVariablesRule, VARIABLES],
  [library.VariablesInAllowedPositionRule, VARIABLES],
  [library.KnownArgumentNamesRule, ARGUMENTS],
  [library.UniqueArgumentNamesRule, ARGUMENTS],
  [library.ValuesOfCorrectTypeRule, ARGUMENTS],
  [library.UniqueInputFieldNamesRule, ARGUMENTS],
  [library.KnownDirectivesRule, DIRECTIVES],
  [library.UniqueDirectivesPerLocationRule, DIRECTIVES],
  [DeferStreamDirectiveLabelRule, DIRECTIVES],
  [DeferStreamDirectiveOnRootFieldRule, DIRECTIVES],
  [DeferStreamDirectiveOnValidOperationsRule, DIRECTIVES],
  [StreamDirectiveOnListFieldRule, DIRECTIVES],
]);

/** A document with a content has its mark. A mark in a string or comment only adds rules. */
const marks: readonly (readonly [mark: string, content: number])[] = [
  ["@", DIRECTIVES],
  ["...", FRAGMENTS],
  ["fragment", FRAGMENTS],
  ["$", VARIABLES],
  ["(", ARGUMENTS],
  ["subscription", SUBSCRIPTIONS],
  ["__", INTROSPECTION],
];

/** Rules by contents. */
const selected = new Map<number, readonly ValidationRule[]>();

/**
 * Returns the rules of GraphQL's specification that can find a mistake in a document. Each rule is called at every node, so that most of the time of a
 * small query's validation would be spent in rules about contents that it lacks.
 *
 * @param hasRepeats whether a selection set has a name twice, or an alias
 */
export const neededRules = (
  text: string,
  definitions: number,
  hasRepeats: boolean,
): readonly ValidationRule[] => {
  let contents = ANYTHING | (definitions > 1 ? OPERATIONS : 0) | (hasRepeats ? REPEATS : 0);
  for (const [mark, content] of marks) if (text.includes(mark)) contents |= content;
  let rules = selected.get(contents);
  if (rules === undefined) {
    rules = specifiedRules.filter((rule) => ((triggers.get(rule) ?? ANYTHING) & contents) !== 0);
    selected.set(contents, rules);
  }
  return rules;
};
