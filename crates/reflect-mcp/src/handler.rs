//! What the protocol asks of a server.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, Implementation, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use tracing::{Instrument, Span};

use crate::{Asked, resources, tools};

/// What a client may show its model about the server as a whole.
const INSTRUCTIONS: &str = "Reflect remembers lessons from earlier runs and learns which of them help. Before you start a task, call \
     retrieve_memories with the task. When it is done or has failed, call create_memory with the result and the ids of the memories \
     you were shown: that is how the lessons get better. The resource reflect://guide says how to write a good lesson; reflect://skill \
     is what the project has learned so far.";

/// Answers one request.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) asked: Asked,
    /// What is logged belongs to the request that brought it.
    pub(crate) span: Span,
}

impl Handler {
    /// Answers, unless the client goes before: nothing is worked on for nobody.
    async fn answer<T>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = Result<T, ErrorData>>,
    ) -> Result<T, ErrorData> {
        let answer = context.ct.run_until_cancelled(work.instrument(self.span.clone())).await;
        answer.unwrap_or_else(|| Err(ErrorData::internal_error("the client has gone", None)))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("reflect", env!("CARGO_PKG_VERSION")).with_title("Reflect"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = tools::call(&self.asked, &request.name, request.arguments.unwrap_or_default());
        self.answer(&context, called).await.map(Into::into)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.answer(&context, resources::list(&self.asked)).await?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.answer(&context, resources::read(&self.asked, &request.uri)).await?;
        Ok(ReadResourceResult::new(vec![read]).into())
    }
}
