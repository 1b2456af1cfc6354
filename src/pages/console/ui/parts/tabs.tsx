import type { ComponentChildren } from "preact";
import { formatCount } from "./wording.ts";

/** A link to a page, or to a part of a page. */
interface Tab {
  href: string;
  name: string;
  isCurrent: boolean;
}

/** Links to the parts of a page. `label` names them for screen readers. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} class="areas">
    <ul>
      {tabs.map(({ href, name, isCurrent }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** A count with its name. It takes the same space while it loads. */
export const Count = ({ name, count }: { name: string; count: number | undefined }) => (
  <>
    <span>{name}</span> <strong>{count === undefined ? "\u2013" : formatCount(count)}</strong>
  </>
);

/** Links to parts of a list with their counts, such as one for each status. */
export const CountTabs = ({
  label,
  tabs,
  children,
}: {
  label: string;
  tabs: readonly (Tab & { count: number | undefined })[];
  children?: ComponentChildren;
}) => (
  <nav class="tiles" aria-label={label}>
    <ul>
      {tabs.map(({ href, name, isCurrent, count }) => (
        <li key={name}>
          <a href={href} aria-current={isCurrent ? "true" : undefined}>
            <Count name={name} count={count} />
          </a>
        </li>
      ))}
      {children}
    </ul>
  </nav>
);
