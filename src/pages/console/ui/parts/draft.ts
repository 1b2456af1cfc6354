/** The entries that differ from those of another draft. */
export const differing = <Draft extends object>(
  entries: Partial<Draft>,
  other: Partial<Draft>,
): Partial<Draft> => {
  const found = Object.entries(entries).filter(([name, value]) => value !== other[name as keyof Draft]);
  return Object.fromEntries(found) as Partial<Draft>;
};

/** The entries that another user has changed since the form was opened, although this user has typed something else. */
export const conflicting = <Draft extends object>(
  typed: Partial<Draft>,
  first: Draft,
  now: Draft,
): Partial<Draft> => {
  const mine = differing(typed, now);
  const found = Object.entries(differing(now, first)).filter(([name]) => name in mine);
  return Object.fromEntries(found) as Partial<Draft>;
};
