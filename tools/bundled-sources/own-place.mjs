// Options of rolldown with which each module of a bundle keeps its own `import.meta.url`, `filename` and `dirname`, not those of the bundle.

const nameOf = (property) => `__module_${property}`;

/** @param places by the property of `import.meta`: the expression for it in the bundle, from the module's file */
export const ownPlace = (places) => {
  const declarations = (file) =>
    Object.entries(places)
      .map(([property, place]) => `const ${nameOf(property)} = /* @__PURE__ */ ${place(file)}; `)
      .join("");
  return {
    plugins: [
      {
        name: "own-place",
        transform: {
          filter: { code: /\bimport\.meta\./ },
          handler: (code, file) => code.replace(/^(?:#!.*\n)?/, (hashbang) => hashbang + declarations(file)),
        },
      },
    ],
    define: Object.fromEntries(
      Object.keys(places).map((property) => [`import.meta.${property}`, nameOf(property)]),
    ),
  };
};
