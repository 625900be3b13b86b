import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import { optionsOf } from "../schema/build-schema.ts";

/** Arguments that say how many items a field returns. */
const sizeArguments = new Set(["first", "last", "limit"]);

/** An operation and the values of its variables. */
export interface CostParts {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Returns the cost of an operation: for each field its own cost (1 unless its options say otherwise), and the costs of its fields times the list size
 * that it asks for with `first`, `last` or `limit`. `@skip` and `@include` are ignored. The document must be free of cycles.
 */
export const costOf = ({ schema, document, operation, variables }: CostParts): number => {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const known = new Map<string, number>();
  const sizeOf = (value: ValueNode): number => {
    if (value.kind === Kind.INT) return Number(value.value);
    if (value.kind !== Kind.VARIABLE) return 1;
    const name = value.name.value;
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (given !== undefined) return typeof given === "number" ? given : 1;
    const initial = operation.variableDefinitions?.find(
      ({ variable }) => variable.name.value === name,
    )?.defaultValue;
    return initial === undefined ? 1 : sizeOf(initial);
  };
  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): number => {
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
    const own = field === undefined ? 1 : (optionsOf(field).cost ?? 1);
    if (node.selectionSet === undefined) return own;
    let size = 1;
    for (const argument of node.arguments ?? [])
      if (sizeArguments.has(argument.name.value)) size = Math.max(size, sizeOf(argument.value));
    return own + size * ofSet(node.selectionSet, field === undefined ? undefined : getNamedType(field.type));
  };
  const ofFragment = (name: string): number => {
    const cost = known.get(name);
    if (cost !== undefined) return cost;
    const node = fragments.get(name);
    if (node === undefined) return 0;
    const computed = ofSet(node.selectionSet, schema.getType(node.typeCondition.name.value));
    known.set(name, computed);
    return computed;
  };
  const ofSet = ({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): number => {
    let cost = 0;
    for (const node of selections) {
      if (node.kind === Kind.FIELD) cost += ofField(node, parent);
      else if (node.kind === Kind.FRAGMENT_SPREAD) cost += ofFragment(node.name.value);
      else {
        const condition = node.typeCondition?.name.value;
        cost += ofSet(node.selectionSet, condition === undefined ? parent : schema.getType(condition));
      }
    }
    return cost;
  };
  return ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
};
