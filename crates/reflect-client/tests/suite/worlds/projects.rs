//! Projects.

use reflect_client::{
    ConfigurationRequest, ErrorCode, EvaluatePolicyRequest, LiftRequest, MixtureRequest, SettingsRequest,
};

use crate::worlds::harness::{BOOTSTRAP_TOKEN, in_both_worlds, learned};

in_both_worlds! {
    async fn a_project_says_how_it_stands(client) {
        crate::worlds::harness::learned(&client, "Refund order A-17").await;
        let statistics = client.statistics(Some(1)).await.unwrap();
        assert_eq!((statistics.traces.total, statistics.memories.active, statistics.days.len()), (1, 1, 1));
        assert!(client.statistics(Some(0)).await.is_err());
    }

    async fn tasks_that_do_without_memories_are_told_and_compared(client) {
        learned(&client, "Refund order A-17").await;
        client.update_settings(SettingsRequest { holdout: Some(Some(0.5)), ..SettingsRequest::default() }).await.unwrap();
        let mut held_out = 0;
        for number in 0..40 {
            let found = client.query(format!("Refund order A-{number}")).similarity_threshold(-1.0).await.unwrap();
            assert_eq!(found.memories.is_empty(), found.held_out == Some(0.5));
            held_out += u64::from(found.held_out.is_some());
        }
        let report = client.lift(LiftRequest::default()).await.unwrap();
        assert_eq!((report.without_memories.unrecorded, report.with_memories.tasks), (held_out, 40 - held_out));
        assert_eq!(report.share, Some(0.5));
    }

    async fn a_configuration_that_is_mixed_can_be_asked_about(client) {
        learned(&client, "Refund order A-17").await;
        let strict = ConfigurationRequest { similarity_threshold: Some(1.0), ..ConfigurationRequest::default() };
        let mixture = Some(Some(MixtureRequest { share: 0.5, configurations: vec![strict] }));
        let settings = client.update_settings(SettingsRequest { mixture, ..SettingsRequest::default() }).await.unwrap();
        assert_eq!(settings.mixture.unwrap().configurations, [strict]);
        let mut answers = [0; 2];
        for number in 0..40 {
            let found = client.query(format!("Refund order A-{number}")).similarity_threshold(-1.0).await.unwrap();
            answers[found.memories.len()] += 1;
        }
        assert!(answers[0] > 5 && answers[1] > 5, "{answers:?}");
        let asked = EvaluatePolicyRequest { configuration: strict, since: None };
        let found = client.evaluate_policy(asked).await.unwrap();
        assert!(found.target.estimate.is_none() && found.target.refusal.unwrap().contains("no reviewed run"));
        assert_eq!(found.mixed.iter().map(|part| part.probability).collect::<Vec<_>>(), [0.5, 0.5]);
        let wrong = ConfigurationRequest { lambda: Some(1.5), ..strict };
        let refused = client.evaluate_policy(EvaluatePolicyRequest { configuration: wrong, since: None }).await;
        assert_eq!(refused.unwrap_err().code(), Some(ErrorCode::InvalidRequest));
    }

    async fn someone_is_there(client) {
        assert_eq!(client.health().await.unwrap().status, "ok");
    }

    async fn a_project_is_bootstrapped_once(client) {
        let client = client.with_project("a/b c").unwrap();
        let made = client.bootstrap(BOOTSTRAP_TOKEN, "me").await.unwrap();
        assert_eq!((made.project_id.as_str(), made.user_id.as_str()), ("a/b c", "me"));
        let again = client.bootstrap(BOOTSTRAP_TOKEN, "me").await.unwrap_err();
        assert_eq!(again.code(), Some(ErrorCode::ProjectExists));
        let wrong = client.bootstrap("guess", "me").await.unwrap_err();
        assert_eq!(wrong.code(), Some(ErrorCode::Unauthorized));
    }

    async fn projects_do_not_see_each_other(client) {
        learned(&client, "Refund order A-17").await;
        let other = client.with_project("other: ä/ö").unwrap();
        assert!(other.query("Refund order A-17").await.unwrap().memories.is_empty());
        learned(&other, "Refund order A-17").await;
        let names: Vec<String> =
            client.list_projects().await.unwrap().into_iter().map(|project| project.project_id).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(names.contains(&"other: ä/ö".to_owned()));
    }

    async fn settings_change_and_only_those_that_were_named(client) {
        learned(&client, "Refund order A-17").await;
        let change = SettingsRequest { lambda: Some(Some(0.25)), alpha: Some(Some(0.1)), ..SettingsRequest::default() };
        assert_eq!(client.update_settings(change).await.unwrap().lambda, Some(0.25));
        let change = SettingsRequest { alpha: Some(None), ..SettingsRequest::default() };
        client.update_settings(change).await.unwrap();
        let settings = client.get_settings().await.unwrap();
        assert_eq!((settings.lambda, settings.alpha), (Some(0.25), None));
    }

    async fn a_project_is_deleted_with_all_it_had(client) {
        learned(&client, "Refund order A-17").await;
        let deleted = client.delete_project().await.unwrap();
        assert_eq!((deleted.traces, deleted.memories), (1, 1));
        assert!(client.list_traces().await.unwrap().is_empty());
    }

    async fn a_project_without_a_name_is_none(client) {
        for name in ["", ".", ".."] {
            let error = client.with_project(name).unwrap_err();
            assert!(error.to_string().contains("project"), "{error}");
        }
    }
}
