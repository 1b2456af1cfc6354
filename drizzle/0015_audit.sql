CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`actor_id` integer,
	`actor_name` text,
	`action` text NOT NULL,
	`resource` text NOT NULL,
	`resource_id` text NOT NULL,
	`parent_id` text,
	`label` text,
	`changes` text,
	CONSTRAINT "audit_actor" CHECK("audit_entries"."actor" in ('key', 'person', 'operator', 'service'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_by_resource` ON `audit_entries` (`resource`,`resource_id`);--> statement-breakpoint
CREATE INDEX `audit_by_parent` ON `audit_entries` (`resource`,`parent_id`) WHERE "audit_entries"."parent_id" is not null;--> statement-breakpoint
CREATE TABLE `__new_domain_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`hostname` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`key_id` integer,
	`person_id` integer,
	`actor_name` text,
	`event` text NOT NULL,
	`stage` text NOT NULL,
	`findings` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "domain_events_actor" CHECK("__new_domain_events"."actor" in ('key', 'person', 'operator', 'service'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_domain_events`("id", "project_id", "hostname", "at", "actor", "key_id", "person_id", "actor_name", "event", "stage", "findings") SELECT "id", "project_id", "hostname", "at", "actor", "key_id", NULL, (SELECT "name" FROM `keys` WHERE `keys`."id" = "key_id"), "event", "stage", "findings" FROM `domain_events`;--> statement-breakpoint
DROP TABLE `domain_events`;--> statement-breakpoint
ALTER TABLE `__new_domain_events` RENAME TO `domain_events`;--> statement-breakpoint
CREATE INDEX `domain_events_by_name` ON `domain_events` (`project_id`,`hostname`);--> statement-breakpoint
ALTER TABLE `deploys` ADD `person_id` integer;