/**
 * An object whose members are made when they are first read.
 * @param of what each member is made of
 */
export function lazily<Made extends object, Of>(
  makers: { readonly [Name in keyof Made]: (of: Of) => Made[Name] },
  of: Of,
): Made {
  const made = {};
  for (const name of Object.keys(makers) as (keyof Made)[])
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = makers[name](of);
        Object.defineProperty(made, name, { value });
        return value;
      },
    });
  return made as Made;
}
