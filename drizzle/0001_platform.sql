CREATE TABLE `deploys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`manifest` text,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`key_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "deploys_status" CHECK("deploys"."status" in ('succeeded', 'failed')),
	CONSTRAINT "deploys_manifest" CHECK(("deploys"."manifest" is not null) = ("deploys"."status" = 'succeeded'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `deploys_by_project` ON `deploys` (`project_id`);--> statement-breakpoint
CREATE TABLE `domain_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`hostname` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`key_id` integer,
	`event` text NOT NULL,
	`stage` text NOT NULL,
	`findings` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "domain_events_actor" CHECK("domain_events"."actor" in ('key', 'operator', 'service'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `domain_events_by_name` ON `domain_events` (`project_id`,`hostname`);--> statement-breakpoint
CREATE TABLE `domains` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`hostname` text NOT NULL,
	`stage` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	`waiting_since` integer NOT NULL,
	`checked_at` integer,
	`next_check_at` integer,
	`failing_since` integer,
	`verified_at` integer,
	`live_at` integer,
	`findings` text NOT NULL,
	`trace` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "domains_stage" CHECK("domains"."stage" in ('awaiting_dns', 'dns_conflict', 'verified', 'issuing', 'issue_failed', 'live', 'suspended')),
	CONSTRAINT "domains_role" CHECK("domains"."role" in ('primary', 'served', 'redirect'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_by_project` ON `domains` (`project_id`,`hostname`);--> statement-breakpoint
CREATE UNIQUE INDEX `domains_held` ON `domains` (`hostname`) WHERE "domains"."stage" in ('verified', 'issuing', 'issue_failed', 'live', 'suspended');--> statement-breakpoint
CREATE UNIQUE INDEX `domains_primary` ON `domains` (`project_id`) WHERE "domains"."role" = 'primary';--> statement-breakpoint
CREATE INDEX `domains_due` ON `domains` (`next_check_at`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`target_label` text NOT NULL,
	`active_deploy_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`active_deploy_id`) REFERENCES `deploys`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "projects_plan" CHECK("projects"."plan" in ('free', 'pro', 'enterprise'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_slug_unique` ON `projects` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `projects_target_label_unique` ON `projects` (`target_label`);