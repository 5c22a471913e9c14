//! Error codes of the service, and its texts on the wire.

nephos_core::codes! {
    /// A parameter breaks a rule.
    VALIDATION = "ValidationException", 400, Invalid {
        invalid_parameter(reason) = "{reason}";
        artifact_counts_reversed(member) = "The minimum count of {member} must not be greater than its maximum count";
        property_repeated(name) = "Configuration property {name} is defined more than once";
        custom_type_fixed = "A custom action type cannot be updated; create another version of it";
        several_queryable = "An action type can have at most one queryable configuration property";
        queryable_optional(name) = "Queryable configuration property {name} must be required and must not be secret";
        stage_name_missing = "stageName must be specified together with actionName";
        variable_not_declared(name) = "Variable {name} is not declared in the pipeline";
        variable_given_twice(name) = "Variable {name} is specified more than once";
        only_with_outcome(member, outcome) = "{member} can only be specified with the outcome {outcome}";
        revision_type_invalid(revision_type, action) =
            "Revision type {revision_type} is not valid for source action {action}";
        no_source_action(name) = "Action {name} is not a source action of the pipeline";
        no_transition(stage, side) = "Stage {stage} does not have a transition of type {side}";
        no_approval(action) = "Action {action} is not a manual approval";
        not_queryable(name) = "Configuration property {name} of the action type is not queryable";
        token_mismatch = "The client request token was already used with other parameters";
        parameter_store_unsupported =
            "Environment variables of type PARAMETER_STORE are not supported; use PLAINTEXT or SECRETS_MANAGER";
        map_value_length(path, max) =
            "1 validation error detected: Value at '{path}' failed to satisfy constraint: Map value must satisfy constraint: \
             [Member must have length less than or equal to {max}, Member must have length greater than or equal to 1]";
        map_key_length(path) =
            "1 validation error detected: Value at '{path}' failed to satisfy constraint: Map keys must satisfy constraint: \
             [Member must have length less than or equal to 50, Member must have length greater than or equal to 1]";
    }
    /// A pagination token is invalid.
    INVALID_NEXT_TOKEN = "InvalidNextTokenException", 400, Invalid {
        invalid_next_token = "The next token is not valid. Use the token that a previous call returned.";
    }
    /// The structure of a pipeline is invalid.
    INVALID_STRUCTURE = "InvalidStructureException", 400, Invalid {
        source_stage = "Pipeline should start with a stage that only contains source actions";
        too_few_stages(count) =
            "Pipeline has only {count} stage(s). There should be a minimum of 2 stages in a pipeline";
        too_many_stages(count) = "Pipeline has {count} stages. There should be a maximum of 50 stages in a pipeline";
        too_many_actions(count) = "Pipeline has {count} actions. There should be a maximum of 500 actions in a pipeline";
        stage_repeated(name) = "Stage name must be unique within the pipeline. {name} has been used more than once.";
        role_not_assumable(role) = "CodePipeline is not authorized to perform AssumeRole on role {role}";
        action_role_not_assumable(pipeline_role, role) =
            "{pipeline_role} is not authorized to perform AssumeRole on role {role}";
        no_artifact_store = "Pipeline should have either artifactStore or artifactStores";
        both_artifact_stores = "Pipeline should not have both artifactStore and artifactStores";
        own_region_without_store(region) = "Pipeline does not have an artifact store in its Region {region}";
        region_without_store(action, region) =
            "Action {action} is in Region {region}, but the pipeline has no artifact store in this Region. Use artifactStores \
             with a store for each Region";
        only_v2(what) = "{what} can only be used in pipelines of type V2";
        variable_repeated(name) = "Variable name must be unique within the pipeline. {name} has been used more than once.";
        trigger_source_missing(action) =
            "Trigger refers to {action}, which is not a source action of provider CodeStarSourceConnection";
        trigger_source_repeated(action) = "Source action {action} has more than one trigger";
        trigger_tags_and_branches = "A push filter can have either tags, or branches and file paths";
    }
    /// A stage is invalid.
    INVALID_STAGE = "InvalidStageDeclarationException", 400, Invalid {
        stage_without_actions(name) = "Stage {name} has no actions. There should be a minimum of 1 action in a stage";
        stage_with_many_actions(name, count) =
            "Stage {name} has {count} actions. There should be a maximum of 50 actions in a stage";
        action_repeated(name, stage) =
            "Action name must be unique within the stage. {name} has been used more than once in stage {stage}.";
        rule_repeated(name, stage) =
            "Rule name must be unique within the condition. {name} has been used more than once in stage {stage}.";
        retry_configuration_without_retry(stage) =
            "Stage {stage} has a retryConfiguration, but the result of onFailure is not RETRY";
    }
    /// A blocker is invalid.
    INVALID_BLOCKER = "InvalidBlockerDeclarationException", 400, Invalid {
        blockers_reserved(stage) = "Stage {stage} has blockers, which are reserved for future use";
    }
    /// An action is invalid.
    INVALID_ACTION = "InvalidActionDeclarationException", 400, Invalid {
        too_few_artifacts(action, count, direction, min) =
            "Action {action} declares {count} {direction} artifacts which is less than the minimum count ({min})";
        too_many_artifacts(action, count, direction, max) =
            "Action {action} declares {count} {direction} artifacts which is more than the maximum count ({max})";
        action_type_unavailable(category, provider, owner, version, action, region) =
            "ActionType (Category: '{category}', Provider: '{provider}', Owner: '{owner}', Version: '{version}') in action \
             '{action}' is not available in region '{region}'";
        output_repeated(name) =
            "Output Artifact Bundle name must be unique within the pipeline. {name} has been used more than once.";
        input_not_produced(name, action) =
            "Input Artifact Bundle {name} in action {action} is not declared as Output Artifact Bundle in any of the preceding \
             actions";
        input_repeated(name, action) = "Input Artifact Bundle {name} has been used more than once in action {action}";
        namespace_repeated(stage, action, namespace) =
            "Namespaces must be unique across the pipeline definition. The following occur more than once in the pipeline. \
             StageName=[{stage}], ActionName=[{action}], Namespace=[{namespace}]";
        configuration_missing(action, name) =
            "Action configuration for action '{action}' is missing required configuration '{name}'";
        configuration_unknown(action, name) =
            "Action configuration for action '{action}' contains unknown configuration '{name}'";
        commands_missing(action) = "Action {action} must have a non-empty commands field";
        only_commands(action, member) = "Action {action} has {member}, which only actions of provider Commands can have";
        multi_line_command(action) = "Action {action} has a command with several lines. Commands must be single lines";
        timeout_of_action(action) = "Action {action} has timeoutInMinutes, which only manual approval actions can have";
        source_in_other_region(action, region) =
            "Source action {action} is in Region {region}. Source actions must be in the Region of the pipeline";
    }
    /// The name of a pipeline is taken.
    NAME_IN_USE = "PipelineNameInUseException", 400, AlreadyExists {
        name_in_use(name, account) = "A pipeline with the name '{name}' already exists in account '{account}'";
    }
    /// The pipeline does not exist.
    PIPELINE_NOT_FOUND = "PipelineNotFoundException", 400, NotFound {
        pipeline_not_found(account, name) = "Account '{account}' does not have a pipeline with name '{name}'";
        pipeline_not_included(account, name) =
            "The account with id '{account}' does not include a pipeline with the name '{name}'";
        pipeline_missing(name) = "The pipeline with name '{name}' does not exist";
    }
    /// The execution does not exist.
    EXECUTION_NOT_FOUND = "PipelineExecutionNotFoundException", 400, NotFound {
        execution_not_found(account, id, pipeline) =
            "Account '{account}' does not have an execution with id '{id}' for pipeline '{pipeline}'";
        execution_missing(id) = "The pipeline execution {id} does not exist";
    }
    /// The stage does not exist.
    STAGE_NOT_FOUND = "StageNotFoundException", 400, NotFound {
        stage_not_found(account, stage, pipeline) =
            "Account '{account}' does not have a stage with name '{stage}' in pipeline '{pipeline}'";
    }
    /// The action does not exist.
    ACTION_NOT_FOUND = "ActionNotFoundException", 400, NotFound {
        action_not_found(account, action, stage, pipeline) =
            "Account '{account}' does not have an action with name '{action}' in stage '{stage}' of pipeline '{pipeline}'";
    }
    /// The approval has a result already.
    APPROVAL_COMPLETED = "ApprovalAlreadyCompletedException", 400, Conflict {
        approval_completed(action) = "The approval of action '{action}' is already completed";
    }
    /// The token is not the one of the approval.
    INVALID_APPROVAL_TOKEN = "InvalidApprovalTokenException", 400, Invalid {
        invalid_approval_token(action) = "The approval token is not valid for action '{action}'";
    }
    /// The stage cannot be retried.
    STAGE_NOT_RETRYABLE = "StageNotRetryableException", 400, Conflict {
        stage_not_retryable(stage) =
            "Stage '{stage}' cannot be retried: it did not fail in this execution, or the pipeline was changed since";
    }
    /// A newer execution entered the stage.
    NOT_LATEST_EXECUTION = "NotLatestPipelineExecutionException", 400, Conflict {
        not_latest_execution(id, stage) =
            "Pipeline execution '{id}' is not the latest execution in stage '{stage}'";
    }
    /// The execution used another version of the pipeline.
    EXECUTION_OUTDATED = "PipelineExecutionOutdatedException", 400, Conflict {
        execution_outdated(id) = "Pipeline execution '{id}' is outdated, because the pipeline was changed since";
    }
    /// The stage cannot be rolled back.
    UNABLE_TO_ROLL_BACK = "UnableToRollbackStageException", 400, Conflict {
        unable_to_roll_back(stage, id) = "Stage '{stage}' cannot be rolled back to pipeline execution '{id}'";
    }
    /// The condition cannot be overridden.
    CONDITION_NOT_OVERRIDABLE = "ConditionNotOverridableException", 400, Conflict {
        condition_not_overridable(condition, stage) =
            "Condition {condition} of stage '{stage}' cannot be overridden, because it did not fail in this execution";
    }
    /// The pipeline is busy.
    CONFLICT = "ConflictException", 400, Conflict {
        stage_busy(stage) = "Stage '{stage}' has an execution in progress";
    }
    /// The execution cannot be stopped.
    NOT_STOPPABLE = "PipelineExecutionNotStoppableException", 400, Conflict {
        execution_not_stoppable(id, status) =
            "Pipeline execution '{id}' cannot be stopped, because its status is {status}";
        execution_not_stoppable_unknown(account, id, pipeline) =
            "Account '{account}' does not have an execution with id '{id}' for pipeline '{pipeline}'";
    }
    /// The execution is being stopped already.
    STOP_REPEATED = "DuplicatedStopRequestException", 400, Conflict {
        stop_repeated(id) = "Pipeline execution '{id}' is already in Stopping state. To stop it at once, abandon its actions";
    }
    /// Too many executions have not ended.
    TOO_MANY_EXECUTIONS = "ConcurrentPipelineExecutionsLimitExceededException", 400, LimitExceeded {
        too_many_executions(pipeline, max) =
            "Pipeline '{pipeline}' has reached the limit of {max} concurrent pipeline executions";
    }
    /// A resource with tags does not exist.
    RESOURCE_NOT_FOUND = "ResourceNotFoundException", 400, NotFound {
        tagged_pipeline_not_found(account, name) =
            "The account with id '{account}' does not include a pipeline with the name '{name}'";
        tagged_action_type_not_found(account, arn) =
            "The account with id '{account}' does not include an action type with the ARN '{arn}'";
        tagged_webhook_not_found(account, name) =
            "The account with id '{account}' does not include a webhook with the name '{name}'";
    }
    /// An ARN is invalid.
    INVALID_ARN = "InvalidArnException", 400, Invalid {
        invalid_arn(arn) = "Invalid ARN: {arn}";
    }
    /// Tags are invalid.
    INVALID_TAGS = "InvalidTagsException", 400, Invalid {
        invalid_tag(key) = "The tag key '{key}' or its value is not valid.";
        reserved_tag =
            "Not allowed to modify system tags. System tags start with 'aws:'. msg=[Caller is an end user and not allowed to \
             mutate system tags]";
        duplicate_tag(key) = "The tag key '{key}' is specified more than once.";
    }
    /// A resource has too many tags.
    TOO_MANY_TAGS = "TooManyTagsException", 400, LimitExceeded {
        too_many_tags = "Tag limit exceeded for resource.";
        too_many_tags_of(arn) = "Tag limit exceeded for resource [{arn}].";
    }
    /// The job does not exist.
    JOB_NOT_FOUND = "JobNotFoundException", 400, NotFound {
        job_not_found(account, id) = "Account '{account}' does not have a job with id '{id}'";
    }
    /// The job has ended.
    INVALID_JOB = "InvalidJobException", 400, Invalid {
        invalid_job(id) = "Job '{id}' has ended";
    }
    /// The job is not in progress.
    INVALID_JOB_STATE = "InvalidJobStateException", 400, Conflict {
        invalid_job_state(id, status) = "Job '{id}' is in state {status}. Only a job in state InProgress can have a result";
    }
    /// Another worker received the job.
    INVALID_NONCE = "InvalidNonceException", 400, Invalid {
        invalid_nonce(nonce, id) = "The nonce '{nonce}' is not valid for job '{id}'";
    }
    /// The token is not the one of the client.
    INVALID_CLIENT_TOKEN = "InvalidClientTokenException", 400, Invalid {
        invalid_client_token(id) = "The client token is not valid for job '{id}'";
    }
    /// The variables of a job are too large.
    VARIABLES_TOO_LARGE = "OutputVariablesSizeExceededException", 400, Invalid {
        variables_too_large(size, max) = "The output variables have {size} bytes, which is more than {max}";
    }
    /// The action type does not exist.
    ACTION_TYPE_NOT_FOUND = "ActionTypeNotFoundException", 400, NotFound {
        action_type_not_found(category, owner, provider, version) =
            "ActionType (Category: '{category}', Provider: '{provider}', Owner: '{owner}', Version: '{version}') is not found";
        action_type_missing(id) = "The action type {id} does not exist";
    }
    /// The action type exists with another definition.
    ACTION_TYPE_EXISTS = "ActionTypeAlreadyExistsException", 400, AlreadyExists {
        action_type_exists(category, provider, version) =
            "ActionType (Category: '{category}', Provider: '{provider}', Owner: 'Custom', Version: '{version}') already exists \
             with a different definition";
    }
    /// The webhook does not exist.
    WEBHOOK_NOT_FOUND = "WebhookNotFoundException", 400, NotFound {
        webhook_not_found(account, name) = "Account '{account}' does not have a webhook with name '{name}'";
    }
    /// A filter of a webhook is invalid.
    INVALID_WEBHOOK_FILTER = "InvalidWebhookFilterPatternException", 400, Invalid {
        webhook_filter_invalid(path) = "Invalid webhook filter pattern: {path} is not a JSON path";
        webhook_filters_missing = "A webhook must have between 1 and 5 filters";
    }
    /// The authentication of a webhook is invalid.
    INVALID_WEBHOOK_AUTHENTICATION = "InvalidWebhookAuthenticationParametersException", 400, Invalid {
        webhook_secret_missing = "SecretToken must be specified for authentication type GITHUB_HMAC";
        webhook_range_missing = "AllowedIPRange must be specified for authentication type IP";
        webhook_range_invalid(range) = "AllowedIPRange {range} is not a CIDR range";
        webhook_authentication_given(member, authentication) =
            "{member} cannot be specified for authentication type {authentication}";
    }
    /// A quota is exceeded.
    LIMIT = "LimitExceededException", 400, LimitExceeded {
        too_many_pipelines = "The number of pipelines per Region exceeds the quota.";
        too_many_action_types = "The number of custom action types per Region exceeds the quota.";
        too_many_webhooks = "The number of webhooks per Region exceeds the quota.";
    }
    /// Access is denied.
    DENIED = "AccessDeniedException", 400, Denied;
    /// The service failed.
    INTERNAL = "InternalFailure", 500, Internal;
}
