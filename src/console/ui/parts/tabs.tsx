import { formatCount } from "./count.ts";

/** A link to a page, or to a part of a page. */
export interface Tab {
  href: string;
  name: string;
  isCurrent: boolean;
  /** How many things there are; undefined if it is not known. */
  count?: number | undefined;
}

/** Links to the parts of a page. `label` names them for screen readers. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} class="areas">
    <ul>
      {tabs.map(({ href, name, isCurrent, count }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {name}
            {count !== undefined && <span class="count"> {formatCount(count)}</span>}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
